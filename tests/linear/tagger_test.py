"""The linear tagger, compared with python-crfsuite, and its features."""

import math

import pycrfsuite
import pytest
from allennlp.common.checks import ConfigurationError
from allennlp.data import Batch, Instance
from allennlp.data.fields import SequenceLabelField, TextField
from allennlp.data.tokenizers import Token

from slstm_allennlp.linear.tagging_features import features_of, shape_of
from slstm_allennlp.token_indexers import Utf8Indexer
from tests.linear.common import fitted, read, words_of

NER = {"type": "conll_ner", "coding_scheme": "IOB1"}


def read_part(part, **options):
    """Return new instances, because indexing them with a vocabulary changes them."""
    return read(f"fixtures/ner/{part}.txt", **NER, **options)


@pytest.fixture(scope="module")
def model():
    options = {"label_encoding": "BIOUL", "max_iterations": 30}
    found, chosen = fitted(read_part("train"), type="linear_tagger", **options)
    assert chosen == {}
    return found


def by_hand(path):
    """Train python-crfsuite's own tagger, and return it."""
    trainer, tagger = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False), pycrfsuite.Tagger()
    settings = {"c1": 0.1, "c2": 0.01, "max_iterations": 30, "feature.possible_transitions": True}
    trainer.set_params(settings)
    train = read_part("train")
    for words, instance in zip(words_of(train, "tokens"), train):
        trainer.append(features_of(words), instance["tags"].labels)
    trainer.train(path)
    tagger.open(path)
    return tagger


def test_the_tags_are_crfsuites(model, tmp_path):
    tagger, test = by_hand(str(tmp_path / "model")), read_part("test")
    model.get_metrics(reset=True)
    losses, right, number = [], 0, 0
    for instance, words in zip(test, words_of(test, "tokens")):
        gold, expected = instance["tags"].labels, tagger.tag(features_of(words))
        losses.append(-math.log(tagger.probability(gold)))
        right += sum(a == b for a, b in zip(gold, expected))
        number += len(gold)
        (output,) = model.forward_on_instances([instance])
        assert output["tags"] == expected
        assert float(output["loss"]) == pytest.approx(losses[-1], rel=1e-5)
    assert model.get_metrics()["accuracy"] == pytest.approx(right / number)
    one_by_one = model.get_metrics(reset=True)
    together = model(**Batch(test).as_tensor_dict())  # with padding
    assert float(together["loss"]) == pytest.approx(sum(losses), rel=1e-5)
    assert model.get_metrics(reset=True) == pytest.approx(one_by_one)
    info = tagger.info()
    assert model.num_weights == len(info.state_features) + len(info.transitions)


def test_span_f1_is_of_the_entities(model):
    model.get_metrics(reset=True)
    model.forward_on_instances(read_part("test"))
    metrics = model.get_metrics(reset=True)
    assert set(metrics) == {"accuracy", "precision-overall", "recall-overall", "f1-measure-overall"}
    assert 0.5 < metrics["f1-measure-overall"] < 1
    other, _ = fitted(read_part("train"), type="linear_tagger", max_iterations=3)  # without an encoding
    other.forward_on_instances(read_part("test"))
    assert set(other.get_metrics()) == {"accuracy"}


def test_a_tag_that_training_has_not_seen():
    train, test = read_part("train"), read_part("test", max_instances=1)
    text = test[0]["tokens"]
    test[0].fields["tags"] = SequenceLabelField(["U-NEW"] * len(text), text)
    known, _ = fitted(train, test, type="linear_tagger", label_encoding="BIOUL", max_iterations=3)
    (output,) = known.forward_on_instances(test)
    assert "U-NEW" not in output["tags"] and math.isfinite(output["loss"])
    assert known.get_metrics()["accuracy"] == 0


def test_one_tag_is_not_enough():
    train = read_part("train")
    for instance in train:
        tags = ["O"] * len(instance["tokens"].tokens)
        instance.add_field("tags", SequenceLabelField(tags, instance["tokens"]))
    with pytest.raises(ConfigurationError, match="training sentences have the tag O, expected two or"):
        fitted(train, type="linear_tagger")


def test_the_same_word_with_either_tag_is_no_error():
    """The first weights, all 0, are the best: L-BFGS makes no iteration."""
    words = TextField([Token("a")], {"words": Utf8Indexer()})
    train = [Instance({"tokens": words, "tags": SequenceLabelField([tag], words)}) for tag in "XY"]
    model, _ = fitted(train, type="linear_tagger")
    assert model.num_weights == 0 and model.forward_on_instances(train)[0]["tags"][0] in "XY"


def test_any_letters(model):
    """Such as half a surrogate pair and the character 0."""
    (sentence,) = read_part("test", max_instances=1)
    for token, text in zip(sentence["tokens"].tokens, ["\ud800", "a\x00b", ":", "\\"]):
        token.text = text
    (output,) = model.forward_on_instances([sentence])
    assert len(output["tags"]) == len(sentence["tokens"].tokens)


def test_the_features_of_a_word_and_its_neighbours():
    each = features_of(["In", "McKay-12", "b"])
    first, second, third = ({feature.decode() for feature in of_word} for of_word in each)
    own = {"bias", "word=McKay-12", "lower=mckay-12", "shape=XxXxx-dd", "digit", "hyphen"}
    affixes = {"prefix1=m", "prefix2=mc", "prefix3=mck", "suffix1=2", "suffix2=12", "suffix3=-12"}
    around = {"-2none", "-1lower=in", "-1shape=Xx", "+1lower=b", "+1shape=x", "+2none"}
    assert second == own | affixes | around
    assert {"title", "-1none", "+2lower=b"} <= first and "upper" not in first
    assert {"-2lower=in", "+1none", "prefix3=b", "suffix3=b"} <= third
    capitals, half = features_of(["USA", "\ud800"])  # half of a surrogate pair is a letter
    assert (
        {b"upper", b"prefix2=us", b"suffix2=sa"} <= set(capitals)
        and b"title" not in capitals
        and b"word=\xed\xa0\x80" in half
    )


def test_shapes():
    words = {"": "", "a": "x", "Abc": "Xxx", "ABCd1234": "XXxdd", "...!": "..!", "日本語": "日本語"}
    assert {word: shape_of(word) for word in words} == words
