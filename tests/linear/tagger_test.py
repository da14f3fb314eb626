"""The linear tagger, compared with python-crfsuite."""

import math

import pycrfsuite
import pytest
from allennlp.common.checks import ConfigurationError
from allennlp.data import Batch
from allennlp.data.fields import SequenceLabelField

from slstm_allennlp.linear.tagging_features import features_of
from tests.linear.common import fitted, read, words_of

NER = {"type": "conll_ner", "coding_scheme": "IOB1"}


def read_all():
    return {part: read(f"fixtures/ner/{part}.txt", **NER) for part in ("train", "test")}


@pytest.fixture
def sentences():
    """New instances for each test, because indexing them with a vocabulary changes them."""
    return read_all()


@pytest.fixture(scope="module")
def model():
    options = {"label_encoding": "BIOUL", "max_iterations": 30}
    found, chosen = fitted(read_all()["train"], type="linear_tagger", **options)
    assert chosen == {}
    return found


@pytest.fixture(scope="module")
def by_hand(tmp_path_factory):
    sentences = read_all()
    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
    settings = {"c1": 0.1, "c2": 0.01, "max_iterations": 30, "feature.possible_transitions": True}
    trainer.set_params(settings)
    for words, instance in zip(words_of(sentences["train"], "tokens"), sentences["train"]):
        trainer.append(features_of(words), instance["tags"].labels)
    path = str(tmp_path_factory.mktemp("crf") / "model")
    trainer.train(path)
    tagger = pycrfsuite.Tagger()
    tagger.open(path)
    return tagger


def test_the_tags_are_crfsuites(model, by_hand, sentences):
    model.get_metrics(reset=True)
    losses, right, number = [], 0, 0
    for instance, words in zip(sentences["test"], words_of(sentences["test"], "tokens")):
        gold, expected = instance["tags"].labels, by_hand.tag(features_of(words))
        losses.append(-math.log(by_hand.probability(gold)))
        right += sum(a == b for a, b in zip(gold, expected))
        number += len(gold)
        (output,) = model.forward_on_instances([instance])
        assert output["tags"] == expected
        assert float(output["loss"]) == pytest.approx(losses[-1], rel=1e-5)
    assert model.get_metrics()["accuracy"] == pytest.approx(right / number)
    one_by_one = model.get_metrics(reset=True)
    together = model(**Batch(sentences["test"]).as_tensor_dict())  # with padding
    assert float(together["loss"]) == pytest.approx(sum(losses), rel=1e-5)
    assert model.get_metrics(reset=True) == pytest.approx(one_by_one)
    info = by_hand.info()
    assert model.num_weights == len(info.state_features) + len(info.transitions)


def test_span_f1_is_of_the_entities(model, sentences):
    model.get_metrics(reset=True)
    model.forward_on_instances(sentences["test"])
    metrics = model.get_metrics(reset=True)
    assert set(metrics) == {"accuracy", "precision-overall", "recall-overall", "f1-measure-overall"}
    assert 0.5 < metrics["f1-measure-overall"] < 1
    other, _ = fitted(sentences["train"], type="linear_tagger", max_iterations=3)  # without an encoding
    other.forward_on_instances(sentences["test"])
    assert set(other.get_metrics()) == {"accuracy"}


def test_a_tag_that_training_has_not_seen(sentences):
    train, test = sentences["train"], read("fixtures/ner/test.txt", max_instances=1, **NER)
    text = test[0]["tokens"]
    test[0].fields["tags"] = SequenceLabelField(["U-NEW"] * len(text), text)
    known, _ = fitted(train, test, type="linear_tagger", label_encoding="BIOUL", max_iterations=3)
    (output,) = known.forward_on_instances(test)
    assert "U-NEW" not in output["tags"] and math.isfinite(output["loss"])
    assert known.get_metrics()["accuracy"] == 0


def test_any_letters(model):
    """Such as half a surrogate pair and the character 0."""
    (sentence,) = read("fixtures/ner/test.txt", max_instances=1, **NER)
    for token, text in zip(sentence["tokens"].tokens, ["\ud800", "a\x00b", ":", "\\"]):
        token.text = text
    (output,) = model.forward_on_instances([sentence])
    assert len(output["tags"]) == len(sentence["tokens"].tokens)


@pytest.mark.parametrize(
    "options, message",
    [
        ({"calculate_span_f1": True}, "calculate_span_f1 is true without label_encoding"),
        ({"c1": -1.0}, "c1 is -1.0"),
        ({"max_iterations": 0}, "max_iterations 0"),
    ],
)
def test_settings_that_cannot_be(sentences, options, message):
    with pytest.raises(ConfigurationError, match=message):
        fitted(sentences["train"], type="linear_tagger", **options)
