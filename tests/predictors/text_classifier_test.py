import pytest
from allennlp.common import Params
from allennlp.data import DatasetReader, Vocabulary
from allennlp.models import Model, load_archive
from allennlp.predictors import Predictor

from slstm_allennlp.predictors import TextClassifier


@pytest.fixture(scope="module")
def archive(classifier):
    return load_archive(classifier / "model.tar.gz")


@pytest.fixture
def predictor(archive):
    return Predictor.from_archive(archive)


def test_raw_and_tokenised_texts(predictor):
    assert type(predictor) is TextClassifier  # without being named
    raw = predictor.predict_json({"sentence": "It doesn't work."})
    assert raw["words"] == ["It", "doesn't", "work", "."]
    assert raw == predictor.predict_json({"words": raw["words"]})
    assert raw == predictor.predict("It doesn't work.")
    assert set(raw) == {"label", "probabilities", "words"}


def test_probabilities_by_the_names_of_the_classes(predictor, archive):
    output = predictor.predict_json({"sentence": "a moving film"})
    assert set(output["probabilities"]) == {"positive", "negative"}
    assert sum(output["probabilities"].values()) == pytest.approx(1)
    assert output["probabilities"][output["label"]] >= 0.5
    instance = predictor._json_to_instance({"sentence": "a moving film"})
    archive.validation_dataset_reader.apply_token_indexers(instance)
    index = archive.model.vocab.get_token_index("positive", "labels")
    expected = archive.model.forward_on_instance(instance)["probs"][index]
    assert output["probabilities"]["positive"] == pytest.approx(float(expected), abs=1e-6)


def test_a_batch_gives_what_each_text_gives_alone(predictor):
    inputs = [
        {"sentence": "A quiet, lovely film about a town."},
        {"sentence": " "},
        {"words": ["dull"]},
        {"words": []},
    ]
    batch = predictor.predict_batch_json(inputs)
    for together, json_dict in zip(batch, inputs):
        alone = predictor.predict_json(json_dict)
        assert (together["label"], together["words"]) == (alone["label"], alone["words"])
        assert together["probabilities"] == pytest.approx(alone["probabilities"], abs=1e-5)
    assert batch[1] == batch[3] == {"label": None, "probabilities": {}, "words": []}


def test_more_than_the_prediction(archive):
    """All outputs on request, and labelled instances for AllenNLP's interpreters and attackers."""
    predictor = Predictor.from_archive(archive, extra_args={"all_outputs": True})
    text = {"sentence": "a moving film"}
    assert {"logits", "probs", "token_ids", "tokens"} < set(predictor.predict_json(text))
    (instance,) = predictor.json_to_labeled_instances(text)
    assert "label" in instance.fields


def test_instances_of_the_reader(predictor):
    instances = list(predictor._dataset_reader.read("fixtures/mr#dev"))[:3]
    outputs = predictor.predict_batch_instance(instances)
    assert [output["words"] for output in outputs] == [
        instance["metadata"].metadata["words"] for instance in instances
    ]
    assert predictor.predict_instance(instances[0])["label"] == outputs[0]["label"]


@pytest.mark.parametrize(
    "reader, data",
    [
        # A reader whose text_to_instance takes only text, and one without a tokenizer.
        (
            {"type": "text_classification_json", "tokenizer": {"type": "spacy_blank"}},
            '{"text": "fine film", "label": "3"}\n{"text": "dull film", "label": "1"}\n',
        ),
        ({"type": "sst_tokens"}, "(3 (2 fine) (2 film))\n(1 (2 dull) (2 film))\n"),
    ],
)
def test_allennlps_own_readers(reader, data, tmp_path):
    (tmp_path / "data").write_text(data)
    reader = DatasetReader.from_params(Params(reader))
    instances = list(reader.read(tmp_path / "data"))
    params = {
        "type": "basic_classifier",
        "text_field_embedder": {"token_embedders": {"tokens": {"embedding_dim": 4}}},
        "seq2vec_encoder": {"type": "slstm", "input_size": 4, "hidden_size": 4},
    }
    model = Model.from_params(Params(params), vocab=Vocabulary.from_instances(instances)).eval()
    predictor = TextClassifier(model, reader)
    raw = predictor.predict_json({"sentence": "fine film"})
    assert raw == predictor.predict_json({"words": ["fine", "film"]})
    assert raw["words"] == ["fine", "film"] and set(raw["probabilities"]) == {"1", "3"}
