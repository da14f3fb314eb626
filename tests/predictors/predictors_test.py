"""Each predictor: raw text and words, batches, scores, entities, and inputs that are not its own."""

import copy
import itertools
import json
import types

import pytest
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import DatasetReader, Instance
from allennlp.data.fields import LabelField, TextField
from allennlp.data.token_indexers import SingleIdTokenIndexer
from allennlp.data.tokenizers import WhitespaceTokenizer
from allennlp.modules.conditional_random_field import ConditionalRandomFieldWeightLannoy

from slstm_allennlp.predictors import SentencePair, SentenceTagger, TextClassifier
from tests.conftest import ROOT

PAIR = {"premise": "A girl is throwing a ball.", "hypothesis": "A child is throwing something."}


@pytest.fixture
def build(predictors):
    """Build a predictor of a small model with options. "scores" is the tagger with scores."""

    def build(name, **options):
        if name == "scores":
            return build("tagger", scores=True)
        base = predictors[name]
        return type(base)(base._model, base._dataset_reader, **options)

    return build


@pytest.mark.parametrize(
    "name, kind, text, words, keys",
    [
        ("tagger", SentenceTagger, "The baker didn't", "The baker did n't", {"tagged", "tags"}),
        ("classifier", TextClassifier, "It isn't so.", "It isn't so .", {"label", "probabilities"}),
    ],
)
def test_raw_and_tokenised_texts(predictors, name, kind, text, words, keys):
    predictor = predictors[name]
    assert type(predictor) is kind  # without being named
    raw = predictor.predict_json({"sentence": text})
    assert raw["words"] == words.split() and set(raw) == {"words", *keys}
    assert raw == predictor.predict_json({"words": raw["words"]}) == predictor.predict(text)
    if name == "tagger":
        assert raw["tagged"] == " ".join(f"{w}/{tag}" for w, tag in zip(raw["words"], raw["tags"]))
    else:
        assert raw["label"] == max(raw["probabilities"], key=raw["probabilities"].get)


NO_TAGS = {"tagged": "", "words": [], "tags": []}
NO_LABEL = {"label": None, "probabilities": {}}


LONG = {"sentence": "The young pilot sold two old hats to her."}
TEXTS = [LONG, {"sentence": " "}, {"words": ["Rosa", "laughed", "."]}, {"words": []}]
OF_SNLI = {"sentence1": "", "sentence2": "A dog."}
PAIRS = [PAIR, {**PAIR, "hypothesis": " "}, {**PAIR, "premise": "Rain ."}, OF_SNLI]


@pytest.mark.parametrize(
    "name, inputs, nothing",
    [
        ("tagger", TEXTS, NO_TAGS),
        ("scores", TEXTS, {**NO_TAGS, "scores": []}),
        ("entities", TEXTS, {**NO_TAGS, "spans": []}),
        ("classifier", TEXTS, {**NO_LABEL, "words": []}),
        ("pairs", PAIRS, NO_LABEL),
    ],
    ids=str,
)
def test_a_batch_gives_what_each_input_gives_alone(build, name, inputs, nothing):
    predictor = build(name)
    batch = predictor.predict_batch_json(inputs)
    assert batch[1::2] == [nothing] * 2
    for together, alone in zip(batch, map(predictor.predict_json, inputs)):
        assert together.keys() == nothing.keys()
        for key, value in together.items():
            is_number = key in ("scores", "probabilities")
            assert value == (pytest.approx(alone[key], abs=1e-5) if is_number else alone[key])


def test_scores_are_the_marginals_of_the_crf(build):
    predictor = build("tagger", scores=True, all_outputs=True)
    output = predictor.predict_json({"words": ["Anna", "smiled"]})
    crf, vocabulary = predictor._model.crf, predictor._model.vocab
    logits, mask = torch.tensor([output["logits"][:2]]), torch.ones(1, 2, dtype=torch.bool)
    marginals = [0.0, 0.0]
    chosen = [vocabulary.get_token_index(tag, "labels") for tag in output["tags"]]
    for path in itertools.product(range(vocabulary.get_vocab_size("labels")), repeat=2):
        probability = crf(logits, torch.tensor([path]), mask).exp().item()
        for i in range(2):
            marginals[i] += probability * (path[i] == chosen[i])
    assert output["scores"] == pytest.approx(marginals, abs=1e-4)
    # Weights of classes change its loss, not its probabilities.
    weighted = ConditionalRandomFieldWeightLannoy(crf.num_tags, [2.0] * crf.num_tags)
    weighted.load_state_dict(crf.state_dict(), strict=False)
    predictor._model = copy.deepcopy(predictor._model)
    predictor._model.crf = weighted
    again = predictor.predict_json({"words": ["Anna", "smiled"]})
    assert again["scores"] == pytest.approx(output["scores"], abs=1e-6)
    # A model without a CRF gives the probabilities of a softmax, or none.
    predictor = build("scores")
    vocab = predictor._model.vocab
    names = [vocab.get_token_from_index(i, "labels") for i in (1, 0)]
    output = {"tags": names, "class_probabilities": torch.tensor([[0.2, 0.8], [0.7, 0.3]]).numpy()}
    assert predictor._probabilities(output, output["tags"]) == pytest.approx([0.8, 0.7])
    predictor._model = types.SimpleNamespace(vocab=vocab)
    with pytest.raises(ConfigurationError, match="SimpleNamespace gives no probabilities, expected"):
        predictor._probabilities({"logits": torch.zeros(1, 28).numpy()}, ["NN"])


def test_a_model_with_other_outputs_keeps_them(predictors):
    instance = predictors["tagger"]._dataset_reader.text_to_instance(["a"])
    outputs = {"labels": ["X"], "logits": [1]}
    assert predictors["tagger"]._readable(instance, dict(outputs)) == outputs


def test_language(build, monkeypatch):
    assert build("tagger", language="it").predict("l'amico")["words"] == ["l'", "amico"]
    with pytest.raises(ConfigurationError, match="language is 'qq'"):
        build("tagger", language="qq")
    # AllenNLP's own tokenizer gets the name of an installed pipeline.
    monkeypatch.setattr("spacy.util.is_package", lambda name: name == "en_core_web_sm")
    own = "slstm_allennlp.predictors.text_input.SpacyTokenizer"
    monkeypatch.setattr(own, lambda name: ("its", name))
    assert build("tagger", language="en_core_web_sm")._splitter == ("its", "en_core_web_sm")


def test_probabilities_by_the_names_of_the_classes(predictors, build):
    text = {"sentence": "a moving film"}
    found = predictors["classifier"].predict_json(text)["probabilities"]
    assert found.keys() == {"positive", "negative"} and sum(found.values()) == pytest.approx(1)
    # All outputs on request, and labelled instances for AllenNLP's interpreters and attackers
    predictor = build("classifier", all_outputs=True)
    output = predictor.predict_json(text)
    assert {"logits", "probs", "token_ids", "tokens"} < set(output)
    index = predictor._model.vocab.get_token_index("positive", "labels")
    assert output["probs"][index] == pytest.approx(found["positive"], abs=1e-6)
    (instance,) = predictor.json_to_labeled_instances(text)
    assert "label" in instance.fields


class OwnReader(DatasetReader):
    """A reader as in AllenNLP's guide, whose tokenizer has no underscore, with two labels."""

    def __init__(self):
        super().__init__()
        self.tokenizer = WhitespaceTokenizer()

    def text_to_instance(self, text, label="good"):
        tokens = TextField(self.tokenizer.tokenize(text), {"tokens": SingleIdTokenIndexer()})
        return Instance(
            {"tokens": tokens, "label": LabelField({"good": 0, "bad": 1}[label], skip_indexing=True)}
        )


def test_a_model_and_a_reader_of_another_project(predictors, monkeypatch):
    """The model's own decision is kept."""
    base = predictors["classifier"]
    readable = base._model.make_output_human_readable
    monkeypatch.setattr(
        base._model, "make_output_human_readable", lambda out: {**readable(out), "label": ["unsure"]}
    )
    predictor = TextClassifier(base._model, OwnReader())
    found = predictor.predict_json({"sentence": "a film", "label": "sports"})
    assert found["words"] == ["a", "film"] and found["label"] == "unsure" and found["gold"] == "sports"


def test_pairs_of_raw_text(predictors, build, monkeypatch):
    predictor = predictors["pairs"]
    assert type(predictor) is SentencePair
    lines = (ROOT / "fixtures/snli/raw.jsonl").read_text().splitlines()
    results = predictor.predict_batch_json(list(map(predictor.load_line, lines)))
    assert len(results) == 3
    for result in results:
        probabilities = result["probabilities"]
        assert set(probabilities) == {"entailment", "neutral", "contradiction"}
        assert sum(probabilities.values()) == pytest.approx(1)
        label = max(probabilities, key=probabilities.get)
        assert result == {"label": label, "probabilities": probabilities}
        assert json.loads(predictor.dump_line(result)) == result
    assert predictor.dump_line({"words": ["é"]}) == '{"words": ["é"]}\n'
    assert {"logits", "probs"} < set(build("pairs", all_outputs=True).predict_json(PAIR))
    # The keys of SNLI are accepted, and others are ignored.
    line = {"gold_label": "hidden", "sentence1": PAIR["premise"], "sentence2": PAIR["hypothesis"]}
    assert predictor.predict_json(line) == predictor.predict_json(PAIR)
    # A pair that the reader combines is one text field. With an empty sentence it has no label, either.
    monkeypatch.setattr(predictor._dataset_reader, "_combine_input_fields", True)
    assert predictor._instance_of_words({**PAIR, "hypothesis": " "}) is None
    assert len(predictor._instance_of_words(PAIR)["tokens"]) == 13
    with pytest.raises(ConfigurationError, match=r"one text of two .*the predictor sentence_pair"):
        TextClassifier(predictor._model, predictor._dataset_reader)


@pytest.fixture
def spans(predictors, monkeypatch):
    """Return the entities that some tags give to each sentence."""
    predictor = predictors["entities"]

    def spans(tags, *inputs):
        given = {"tags": tags.split()}
        monkeypatch.setattr(predictor._model, "forward_on_instances", lambda some: [given] * len(some))
        outputs = predictor.predict_batch_json(inputs)
        return [[tuple(span.values()) for span in output["spans"]] for output in outputs]

    return spans


def test_entities(spans, predictors):
    """Text, label, start and end. Each has the white space of its own sentence."""
    inputs = [
        {"sentence": "Anna  Lindau likes Galway."},
        {"sentence": "Tom\nMay left\tNorwick."},
        {"words": ["Anna", "Lindau", "likes", "Galway", "."]},
    ]
    assert spans("B-PER L-PER O U-LOC O", *inputs) == [
        [("Anna  Lindau", "PER", 0, 12), ("Galway", "LOC", 19, 25)],
        [("Tom\nMay", "PER", 0, 7), ("Norwick", "LOC", 13, 20)],
        [("Anna Lindau", "PER", 0, 11), ("Galway", "LOC", 18, 24)],
    ]
    illegal = spans("I-PER O B-LOC", {"words": ["Anna", "likes", "Galway"]})
    assert illegal == [[("Anna", "PER", 0, 4), ("Galway", "LOC", 11, 17)]]
    # Where tags are no entities, there are none.
    assert "spans" not in predictors["tagger"].predict_json({"sentence": "Anna likes Galway."})


@pytest.mark.parametrize(
    "name, given, message",
    [
        ("tagger", {"title": "a"}, 'is {"title": "a"}, expected {"sentence": "raw text"} or {"words"'),
        ("tagger", {"sentence": "a", "words": ["a"]}, "with both sentence and words, expected {"),
        ("tagger", ["a"], "expected {"),
        ("tagger", {"sentence": 3}, "sentence is 3, expected"),
        ("tagger", {"words": "a b"}, "words is 'a b', expected a list of words"),
        ("tagger", {"words": ["a", " "]}, "expected a list of words, none of them empty"),
        ("tagger", {"words": ["It", "rains"], "tags": ["PRP"]}, "there are 1 tags for 2 words, exp"),
        ("classifier", {}, r"the input is \{\}, expected"),
        ("pairs", {"premise": "A dog"}, r'the input is \{"premise": "A dog"\}, expected'),
        ("pairs", ["a", "b"], 'input is .*, expected {"premise": "raw text", "hypothesis": "raw text"}'),
        ("pairs", {"premise": ["A", "dog"], "hypothesis": "a"}, r"premise is \['A', 'dog'\], expected"),
        # Lines
        ("tagger", "The dog.\n", r"'The dog\.' is not JSON .* expected {\"sentence\""),
        ("tagger", '{"sentence": \n', r"is not JSON \(Expecting value at character 13\)"),
        ("pairs", "A dog\n", r"'A dog' is not JSON .* expected .*premise"),
        # Labels
        (
            "classifier",
            {"text": "a", "label": ["x"]},
            r"the label is \['x'\], expected a string or a wh",
        ),
        (
            "classifier",
            {"text": "a", "label": 0.5},
            r"the label is 0\.5, expected a string or a whole num",
        ),
        (
            "pairs",
            {"premise": "a", "hypothesis": "b", "label": {"a": 1}},
            r"the label is \{'a': 1\}, exp",
        ),
    ],
)
def test_inputs_of_another_form(predictors, name, given, message):
    predictor = predictors[name]
    with pytest.raises(ValueError, match=message):
        predictor.load_line(given) if isinstance(given, str) else predictor.predict_json(given)


@pytest.mark.parametrize("name", ("tagger", "pairs"))
@pytest.mark.parametrize(
    "given", ([{"text": "x"}], {"txt": ""}, {"words": [3]}, {"premise": 3, "hypothesis": 4})
)
def test_a_long_input_of_another_form_is_shortened(predictors, name, given):
    long = json.loads(json.dumps(given).replace("3", '{"a": "' + 10**6 * "b" + '"}'))
    long = long * 10**5 if isinstance(long, list) else {**long, "note": 10**6 * "c"}
    for call, value in (
        (predictors[name].predict_json, long),
        (predictors[name].load_line, json.dumps(long)[:-1]),
    ):
        with pytest.raises(ValueError, match="expected") as error:
            call(value)
        assert 100 < len(str(error.value)) < 400


def test_texts_of_a_service_are_not_cached(predictors, monkeypatch):
    base = predictors["classifier"]
    monkeypatch.setattr(base._model, "adds_to_cache", True, raising=False)  # as `TransformerFeatures`
    type(base)(base._model, base._dataset_reader)
    assert base._model.adds_to_cache is False
