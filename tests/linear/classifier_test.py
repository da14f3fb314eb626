"""The linear classifiers, compared with scikit-learn pipelines."""

import copy
import itertools

import numpy
import pytest
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import Batch, Instance, Vocabulary
from allennlp.data.fields import LabelField
from allennlp.models import Model
from scipy import sparse
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, log_loss
from sklearn.model_selection import StratifiedKFold

from slstm_allennlp.models.summary import num_weights
from tests.linear.common import fitted, labels_of, read, words_of

MR = {"type": "movie_review", "seed": 0, "folds": 10, "fold": 0}
SNLI = {"type": "snli", "tokenizer": "just_spaces"}
C = [0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0]


def terms(words):
    low = [word.lower() for word in words]
    return low + [f"{first} {second}" for first, second in itertools.pairwise(low)]


def probabilities(model, instances):
    names = model.vocab.get_index_to_token_vocabulary("labels").values()
    return [dict(zip(names, output["probs"])) for output in model.forward_on_instances(instances)]


def expect_the_same(found, regression, features):
    assert len(found) == features.shape[0]
    for ours, theirs in zip(found, regression.predict_proba(features)):
        assert ours == pytest.approx(dict(zip(regression.classes_, theirs)), abs=1e-9)


@pytest.fixture
def reviews():
    """New instances for each test, because indexing them with a vocabulary changes them."""
    return {part: read(f"fixtures/mr#{part}", **MR) for part in ("train", "dev", "test")}


def with_label(reviews, label):
    return [one for one in reviews["train"] if one["label"].label == label]


def test_one_that_is_not_fitted(reviews):
    vocab = Vocabulary.from_instances(reviews["train"])
    model = Model.from_params(Params({"type": "linear_classifier"}), vocab=vocab)
    for use in (lambda: model.num_weights, lambda: model.forward_on_instances(reviews["dev"][:1])):
        with pytest.raises(ConfigurationError, match=r"is not fitted, expected \"trainer\""):
            use()


@pytest.mark.parametrize("part", [slice(None), slice(10, 20)], ids=str)  # of the second, four are equal
def test_texts_as_by_hand(reviews, double, part):
    """Choose C by accuracy on dev and, if equal, by loss on dev."""
    reviews["dev"] = reviews["dev"][part]
    train, dev, test = (words_of(reviews[part], "tokens") for part in reviews)
    gold, dev_gold = labels_of(reviews["train"]), labels_of(reviews["dev"])
    vectorizer = TfidfVectorizer(analyzer=terms, sublinear_tf=True).fit(train)
    features = vectorizer.transform(train)
    candidates = [LogisticRegression(C=c, max_iter=1000).fit(features, gold) for c in C]
    of_dev = vectorizer.transform(dev)
    accuracies = [accuracy_score(dev_gold, one.predict(of_dev)) for one in candidates]
    losses = [log_loss(dev_gold, one.predict_proba(of_dev)) for one in candidates]
    best = candidates[max(range(len(C)), key=lambda n: (accuracies[n], -losses[n]))]
    assert len(set(accuracies)) > 1
    model, chosen = fitted(reviews["train"], reviews["dev"], type="linear_classifier")
    assert chosen == {"C": best.C}
    assert model.num_weights == best.coef_.size + 1
    expect_the_same(probabilities(model, reviews["test"]), best, vectorizer.transform(test))
    accuracy = accuracy_score(labels_of(reviews["test"]), best.predict(vectorizer.transform(test)))
    assert model.get_metrics(reset=True) == {"accuracy": pytest.approx(accuracy)}


@pytest.mark.parametrize("phi", ["nli", "paraphrase"])
def test_pairs_as_by_hand(double, phi):
    """Three classes, and a given C."""
    train, test = (read(f"fixtures/snli/{part}.jsonl", **SNLI) for part in ("train", "test"))
    sides = ("premise", "hypothesis")
    both = [words_of(train, side) for side in sides]
    vectorizer = TfidfVectorizer(analyzer=terms, sublinear_tf=True).fit(both[0] + both[1])

    def features(instances):
        a, b = (vectorizer.transform(words_of(instances, side)).toarray() for side in sides)
        parts = [abs(a - b), a * b]
        return sparse.csr_matrix(numpy.hstack([a, b, *parts] if phi == "nli" else parts))

    regression = LogisticRegression(C=3.0, max_iter=1000).fit(features(train), labels_of(train))
    model, chosen = fitted(train, type="linear_pair_classifier", features=phi, strengths=[3.0])
    assert chosen == {"C": 3.0} and len(regression.classes_) == 3
    expect_the_same(probabilities(model, test), regression, features(test))
    loss = log_loss(labels_of(test), regression.predict_proba(features(test)))
    assert float(model(**Batch(test).as_tensor_dict())["loss"]) == pytest.approx(loss)


def embedder(trainable):
    part = {"type": "embedding", "embedding_dim": 5, "trainable": trainable}
    return {"token_embedders": {"words": part}}


@pytest.mark.parametrize(
    ("model", "fields", "path", "reader"),
    [
        ("linear_classifier", ["tokens"], "fixtures/mr#{}", MR),
        ("linear_pair_classifier", ["premise", "hypothesis"], "fixtures/snli/{}.jsonl", SNLI),
    ],
)
def test_means_of_embedded_words_as_by_hand(double, model, fields, path, reader):
    reader = {**reader, "token_indexers": {"words": {"type": "single_id"}}}
    train, test = (read(path.format(part), **reader) for part in ("train", "test"))
    given = {"type": model, "text_field_embedder": embedder(trainable=False), "strengths": [3.0]}
    model, chosen = fitted(train, **copy.deepcopy(given))
    assert chosen == {"C": 3.0}
    vectors = model._embedder._token_embedders["words"].weight.detach().double().numpy()
    number_of = model.vocab.get_token_index

    def features(instances):
        means = [
            numpy.array(
                [vectors[list(map(number_of, words))].mean(0) for words in words_of(instances, field)]
            )
            for field in fields
        ]
        if len(means) == 1:
            return means[0]
        a, b = means
        return numpy.hstack([a, b, abs(a - b), a * b])

    regression = LogisticRegression(C=3.0, max_iter=1000).fit(features(train), labels_of(train))
    assert model.num_weights == regression.coef_.size + regression.intercept_.size
    assert num_weights(model) == {
        "all": model.num_weights + vectors.size,
        "trained": model.num_weights,
    }
    expect_the_same(probabilities(model, test), regression, features(test))
    same = Model.from_params(Params(copy.deepcopy(given)), vocab=model.vocab).eval()
    same.load_state_dict(model.state_dict())
    assert probabilities(same, test) == probabilities(model, test)


def test_calibration_as_by_hand(reviews, double):
    """It minimizes the loss on held-out folds, with the probability (n + 1) / (n + 2) for the gold."""
    train = reviews["train"]
    _, chosen = fitted(train, type="linear_classifier", calibrated=True)
    texts, gold = words_of(train, "tokens"), labels_of(train)
    features = TfidfVectorizer(analyzer=terms, sublinear_tf=True).fit_transform(texts)
    scores = numpy.zeros(len(gold))
    for kept, left_out in StratifiedKFold(5).split(features, gold):
        some = LogisticRegression(C=1, max_iter=1000).fit(features[kept], [gold[i] for i in kept])
        scores[left_out] = some.decision_function(features[left_out])
    sign = numpy.where(numpy.array(gold) == some.classes_[1], 1, -1)

    def loss(factor):
        right, wrong = (numpy.logaddexp(0, side * factor * sign * scores).mean() for side in (-1, 1))
        return ((len(gold) + 1) * right + wrong) / (len(gold) + 2)

    factor = chosen["calibration_factor"]
    assert factor > 1.5, "with an L2 penalty, probabilities are too close to 0.5"
    assert loss(factor) <= min(loss(0.99 * factor), loss(1.01 * factor))


def test_calibration_multiplies_the_logits():
    found = {}
    for calibrated in (False, True):
        train, test = (read(f"fixtures/snli/{part}.jsonl", **SNLI) for part in ("train", "dev"))
        model, chosen = fitted(train, type="linear_pair_classifier", calibrated=calibrated)
        found[calibrated] = [output["logits"] for output in model.forward_on_instances(test)]
    factor = chosen["calibration_factor"]
    assert factor != 1 and found[True][0].shape == (3,)
    numpy.testing.assert_allclose(found[True], factor * numpy.array(found[False]), rtol=1e-5)


def test_calibration_with_a_rare_label(reviews):
    """A label with one text cannot be held out, so there is no calibration."""
    positive, negative = (with_label(reviews, label) for label in ("positive", "negative"))
    train = [*positive[:6], negative[0]]
    _, chosen = fitted(train, type="linear_classifier", calibrated=True)
    assert chosen == {"C": 1, "calibration_factor": 1}


def test_single_words_and_no_validation_set(reviews):
    model, chosen = fitted(reviews["train"], type="linear_classifier", max_words=1)
    assert chosen == {"C": 1.0}
    assert all(" " not in term for term in model.get_extra_state()["terms"])
    words = {word.lower() for text in words_of(reviews["train"], "tokens") for word in text}
    assert model.num_weights == 1 + len(words)


def test_a_class_that_training_has_not_seen(reviews):
    """Its probability is almost zero, and the loss is finite."""
    train, dev = reviews["train"], reviews["dev"]
    dev[0].fields["label"] = LabelField("neutral")
    model, _ = fitted(train, dev, type="linear_classifier")
    (output,) = model.forward_on_instances(dev[:1])
    assert len(output["probs"]) == 3 and sum(output["probs"] > 1e-9) == 2
    assert 50 < output["loss"] < 200


def test_calibration_with_weights_and_an_unseen_class(reviews):
    """Its number comes before those of the others, which change."""
    texts = [one["tokens"] for one in reviews["dev"]]
    unseen = [Instance({"tokens": text, "label": LabelField("unseen")}) for text in texts] * 20
    options = {"strengths": [3.0], "calibrated": True, "class_weights": {"positive": 2.0}}
    model, chosen = fitted(reviews["train"], unseen, type="linear_classifier", **options)
    assert model.vocab.get_token_index("unseen", "labels") == 0
    options["class_weights"]["negative"] = 1.0  # as without this key
    _, expected = fitted(read("fixtures/mr#train", **MR), type="linear_classifier", **options)
    assert chosen == pytest.approx(expected) and chosen["calibration_factor"] != 1


def test_labels_that_are_numbers(reviews):
    numbers = [
        Instance({"tokens": one["tokens"], "label": LabelField(n % 2, skip_indexing=True)})
        for n, one in enumerate(reviews["train"])
    ]
    with pytest.raises(ConfigurationError, match="labels are numbers up to 1, expected strings"):
        fitted(numbers, type="linear_classifier")


def test_words_that_training_has_not_seen(reviews, double):
    """The logits are the intercept."""
    model, _ = fitted(reviews["train"], type="linear_classifier")
    (text,) = read("fixtures/mr#test", max_instances=1, **MR)
    for token in text["tokens"].tokens:
        token.text = "\ud800"
    (output,) = model.forward_on_instances([text])
    intercepts = model.get_extra_state()["intercepts"].tolist()
    assert output["logits"].tolist() == pytest.approx([0.0, *intercepts])


def test_one_label_is_not_enough(reviews):
    with pytest.raises(ConfigurationError, match="training instances have the label positive, expect"):
        fitted(with_label(reviews, "positive"), type="linear_classifier")


def test_texts_without_words(reviews):
    without = [
        Instance({**each.fields, "tokens": each["tokens"].empty_field()}) for each in reviews["dev"]
    ]
    with pytest.raises(
        ConfigurationError, match=rf"the {len(without)} training instances have no words"
    ):
        fitted(without, type="linear_classifier")


@pytest.mark.parametrize(
    "options, message",
    [
        ({"strengths": []}, "strengths is"),
        ({"strengths": [1.0, 0.0]}, "strengths is"),
        ({"max_words": 0}, "max_words is 0, expected 1 or more"),
        ({"text_field_embedder": embedder(True)}, "has weights to train, expected fixed ones"),
        (
            {"text_field_embedder": embedder(False), "max_words": 2},
            "max_words is 2 beside a text_field_embedder, expected one of them",
        ),
        ({"type": "linear_pair_classifier", "features": "all"}, "features is 'all', expected"),
        ({"type": "linear_tagger", "calculate_span_f1": True}, "is true without label_encoding"),
        ({"type": "linear_tagger", "c1": -1.0}, "c1 is -1.0"),
        ({"type": "linear_tagger", "max_iterations": 0}, "max_iterations 0"),
    ],
)
def test_settings_that_cannot_be(reviews, options, message):
    with pytest.raises(ConfigurationError, match=message):
        fitted(reviews["train"], **{"type": "linear_classifier", **options})


def test_other_token_indexers_are_refused(reviews):
    model, _ = fitted(reviews["train"], type="linear_classifier")
    others = read("fixtures/mr#test", max_instances=1, **{**MR, "token_indexers": {"a": {}}})
    with pytest.raises(ConfigurationError, match=r"with the token indexers a, expected .*utf8"):
        model.forward_on_instances(others)
