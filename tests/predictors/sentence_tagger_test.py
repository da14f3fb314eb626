import itertools
import json
import types

import pytest
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.models import load_archive
from allennlp.predictors import Predictor

from slstm_allennlp.predictors import SentenceTagger


@pytest.fixture(scope="module")
def archive(tagger):
    return load_archive(tagger / "model.tar.gz")


@pytest.fixture
def predictor(archive):
    return Predictor.from_archive(archive)


def test_raw_and_tokenised_sentences(predictor):
    assert type(predictor) is SentenceTagger  # without being named
    raw = predictor.predict_json({"sentence": "The baker didn't paint 15 hats."})
    assert raw["words"] == ["The", "baker", "did", "n't", "paint", "15", "hats", "."]
    assert raw == predictor.predict_json({"words": raw["words"]})
    assert set(raw) == {"tagged", "words", "tags"}
    assert len(raw["tags"]) == 8 and all(isinstance(tag, str) for tag in raw["tags"])
    assert raw["tagged"].startswith(f"The/{raw['tags'][0]} baker/{raw['tags'][1]} ")
    assert raw == predictor.predict("The baker didn't paint 15 hats.")


def test_a_batch_gives_what_each_sentence_gives_alone(predictor):
    inputs = [
        {"sentence": "Anna visits the old harbour."},
        {"sentence": " "},
        {"words": ["Who", "knocked", "?"]},
        {"words": []},
    ]
    batch = predictor.predict_batch_json(inputs)
    assert batch == [predictor.predict_json(json_dict) for json_dict in inputs]
    assert batch[1] == batch[3] == {"tagged": "", "words": [], "tags": []}


def test_instances_of_the_reader(predictor):
    instances = list(predictor._dataset_reader.read("fixtures/pos/dev.conllu"))[:3]
    outputs = predictor.predict_batch_instance(instances)
    assert [output["words"] for output in outputs] == [
        [token.text for token in instance["tokens"].tokens] for instance in instances
    ]
    assert predictor.predict_instance(instances[0])["tags"] == outputs[0]["tags"]


def test_scores_are_the_marginals_of_the_crf(archive):
    predictor = Predictor.from_archive(archive, extra_args={"scores": True, "all_outputs": True})
    output = predictor.predict_json({"words": ["Anna", "smiled"]})
    crf, vocabulary = archive.model.crf, archive.model.vocab
    logits = torch.tensor([output["logits"][:2]])
    mask = torch.ones(1, 2, dtype=torch.bool)
    marginals = [0.0, 0.0]
    chosen = [vocabulary.get_token_index(tag, "labels") for tag in output["tags"]]
    for path in itertools.product(range(vocabulary.get_vocab_size("labels")), repeat=2):
        probability = crf(logits, torch.tensor([path]), mask).exp().item()
        for i in range(2):
            marginals[i] += probability * (path[i] == chosen[i])
    assert output["scores"] == pytest.approx(marginals, abs=1e-4)
    assert predictor.predict_json({"sentence": ""})["scores"] == []


def test_scores_in_a_batch_are_those_of_each_sentence_alone(archive):
    predictor = Predictor.from_archive(archive, extra_args={"scores": True})
    inputs = [{"sentence": "Rosa laughed."}, {"sentence": "The young pilot sold two old hats to her."}]
    for together, json_dict in zip(predictor.predict_batch_json(inputs), inputs):
        alone = predictor.predict_json(json_dict)
        assert together["scores"] == pytest.approx(alone["scores"], abs=1e-5)
        assert all(0 <= score <= 1 for score in alone["scores"])


def test_scores_of_other_models(archive):
    """A model without a CRF gives the probabilities of a softmax, or none."""
    predictor = Predictor.from_archive(archive, extra_args={"scores": True})
    names = [archive.model.vocab.get_token_from_index(i, "labels") for i in (1, 0)]
    output = {"tags": names, "class_probabilities": torch.tensor([[0.2, 0.8], [0.7, 0.3]]).numpy()}
    assert predictor._probabilities(output) == pytest.approx([0.8, 0.7])
    predictor._model = types.SimpleNamespace(vocab=archive.model.vocab)
    with pytest.raises(ConfigurationError, match="SimpleNamespace gives no probabilities, expected"):
        predictor._probabilities({"tags": ["NN"], "logits": torch.zeros(1, 28).numpy()})


def test_a_model_with_other_outputs_keeps_them(predictor):
    instance = predictor._dataset_reader.text_to_instance(["a"])
    outputs = {"labels": ["X"], "logits": [1]}
    assert predictor._readable(instance, dict(outputs)) == outputs


def test_lines(predictor):
    assert predictor.load_line('\ufeff{"sentence": "é"}\r\n') == {"sentence": "é"}
    assert predictor.load_line('{"sentence": "é"}') == {"sentence": "é"}
    assert predictor.dump_line({"words": ["é"]}) == '{"words": ["é"]}\n'
    assert json.loads(predictor.dump_line(predictor.predict("Où ?")))["words"] == ["Où", "?"]


def test_an_installed_spacy_pipeline(archive, monkeypatch):
    """AllenNLP's own tokenizer gets its name."""
    pipeline = "en_core_web_sm"
    monkeypatch.setattr("spacy.util.is_package", lambda name: name == pipeline)
    monkeypatch.setattr(
        "slstm_allennlp.predictors.text_input.SpacyTokenizer", lambda name: ("AllenNLP's", name)
    )
    assert SentenceTagger(archive.model, None, language=pipeline)._splitter == ("AllenNLP's", pipeline)


def test_language(archive):
    italian = Predictor.from_archive(archive, extra_args={"language": "it"})
    assert italian.predict("l'amico")["words"] == ["l'", "amico"]
    with pytest.raises(ConfigurationError, match="language is 'qq'"):
        Predictor.from_archive(archive, extra_args={"language": "qq"})
