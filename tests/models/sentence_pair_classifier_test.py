import json
import pickle
import re

import pytest
import torch
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import DatasetReader, Vocabulary
from allennlp.data.batch import Batch
from allennlp.models import Model

EMBEDDER = {"token_embedders": {"tokens": {"type": "embedding", "embedding_dim": 4}}}
ENCODER = {"type": "cas_lstm", "input_size": 4, "hidden_size": 3}
WIDE = {**ENCODER, "input_size": 7}
MLP = {"num_layers": 2, "hidden_dims": 5, "activations": "relu", "dropout": 0.2}
PAIRS = (
    ("a woman sings", "somebody sings", "entailment"),
    ("a man sleeps on a bench", "a man sings", "contradiction"),
    ("a dog runs", "a dog runs home", "neutral"),
    ("two men eat", "two men eat fish", "neutral"),
)


def build(pairs=PAIRS, **options):
    reader = DatasetReader.from_params(Params({"type": "snli", "tokenizer": "just_spaces"}))
    batch = Batch([reader.text_to_instance(*pair) for pair in pairs])
    for instance in batch:
        reader.apply_token_indexers(instance)
    parts = {"text_field_embedder": EMBEDDER, "seq2vec_encoder": ENCODER}
    params = json.loads(json.dumps({"type": "sentence_pair_classifier", **parts, **options}))
    vocab = Vocabulary.from_instances(batch)
    model = Model.from_params(Params(params), vocab=vocab)
    batch.index_instances(vocab)
    return model.eval(), batch.as_tensor_dict()


@pytest.mark.parametrize("features, count", [("nli", 4), ("paraphrase", 2)])
def test_features_are_the_papers(double, features, count):
    """Eqs. 14-16: one encoder for both sentences, φ, the perceptron and softmax."""
    model, tensors = build(features=features, feedforward=MLP)
    model = pickle.loads(pickle.dumps(model.double()))
    output = model(**tensors)
    sentences = [tensors[name] for name in ("premise", "hypothesis")]
    embedded = [(model._text_field_embedder(one), one["tokens"]["tokens"] != 0) for one in sentences]
    for i, (a, b) in enumerate(zip(*(model._encoder(*each) for each in embedded))):
        phi = torch.cat([*([] if features == "paraphrase" else [a, b]), abs(a - b), a * b])
        assert len(phi) == count * 3
        for layer in model._feedforward._linear_layers:
            phi = torch.relu(layer.weight @ phi + layer.bias)
        logits = model._classification_layer.weight @ phi + model._classification_layer.bias
        torch.testing.assert_close(output["probs"][i], torch.softmax(logits, dim=0))
    loss = -output["probs"].gather(1, tensors["label"].long().unsqueeze(1)).log().mean()
    torch.testing.assert_close(output["loss"], loss)


def test_accuracy_of_each_class():
    model, tensors = build()
    names = model.vocab.get_index_to_token_vocabulary("labels")
    model(**tensors)
    predictions = [names[i] for i in model(**tensors)["probs"].argmax(dim=1).tolist()]
    gold = [label for _, _, label in PAIRS]
    metrics = model.get_metrics(reset=True)
    hits = [p == g for p, g in zip(predictions, gold)]
    assert metrics["accuracy"] == pytest.approx(sum(hits) / 4)
    for label in names.values():
        of_class = [hit for hit, g in zip(hits, gold) if g == label]
        assert metrics[f"accuracy_{label}"] == pytest.approx(sum(of_class) / len(of_class))
    assert model.get_metrics()["accuracy"] == 0.0


def test_more_classes_than_the_vocabulary_has():
    model, tensors = build(num_labels=5)
    model._classification_layer.bias.data[4] = 100
    output = model.make_output_human_readable(model(**tensors))
    assert output["label"] == ["4"] * 4
    assert "accuracy_4" in model.get_metrics()


def test_the_loss_reaches_every_parameter():
    model, tensors = build(feedforward={**MLP, "activations": "tanh"}, dropout=0.1)
    model.train()
    model(**tensors)["loss"].backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None and parameter.grad.any(), name


@pytest.mark.parametrize("side, pair", [("premise", ("", "b")), ("hypothesis", ("a b", ""))])
def test_a_sentence_without_words(side, pair):
    model, tensors = build([*PAIRS, (*pair, "neutral")])
    with pytest.raises(ValueError, match=f"the {side} of pair 4 of the batch has no words"):
        model(**tensors)


@pytest.mark.parametrize(
    "options, message",
    [
        ({"feedforward": {**MLP, "input_dim": 7}}, "feedforward.input_dim is 7, expected 12"),
        ({"features": "sum"}, 'features is \'sum\', expected "nli" or "paraphrase"'),
        ({"seq2vec_encoder": WIDE}, "gives 4 numbers a word and seq2vec_encoder takes 7"),
    ],
)
def test_configs_that_do_not_fit(options, message):
    with pytest.raises(ConfigurationError, match=re.escape(message)):
        build(**options)
