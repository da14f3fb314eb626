"""AllenNLP's own saliency interpreters and attackers on models with this project's encoders."""

import functools
import itertools
import json

import numpy
import pytest
import torch
from allennlp.common import Params
from allennlp.common.plugins import import_plugins
from allennlp.data import Batch, DatasetReader, Token, Vocabulary
from allennlp.interpret.attackers import Hotflip, InputReduction
from allennlp.interpret.saliency_interpreters import IntegratedGradient, SimpleGradient, SmoothGradient
from allennlp.models import Model
from allennlp.predictors import Predictor

from tests.conftest import SMALL, SMALL_TEXTS, slow_but

HIDDEN = {"model.feedforward.hidden_dims": 10}
OF_PAIRS = {**SMALL_TEXTS, **HIDDEN}
del OF_PAIRS["model.seq2seq_encoder.input_dim"]
CLASSIFIERS = {
    **dict.fromkeys(("mr_slstm", "mr_cnn", "mr_coupled_lstm"), SMALL_TEXTS),
    "sst2_cas_lstm": {**SMALL_TEXTS, **HIDDEN, "model.feedforward.input_dim": 10},
}
PAIRS = dict.fromkeys(("snli_slstm", "snli_cas_lstm"), OF_PAIRS)
OVERRIDES = {**CLASSIFIERS, **PAIRS, **dict.fromkeys(("ner_slstm", "pos_slstm"), SMALL)}
FAST = [name for name in OVERRIDES if name not in ("mr_cnn", "mr_coupled_lstm")]
PAIR = {"premise": "A young woman is painting a fence.", "hypothesis": "A person is outdoors."}


@functools.cache
def trained(config):
    import_plugins()  # as the command line does
    torch.manual_seed(1)
    params = Params.from_file(f"training_config/{config}.jsonnet", json.dumps(OVERRIDES[config]))
    reader = DatasetReader.from_params(params["dataset_reader"])
    instances = list(itertools.islice(reader.read(params["train_data_path"]), 0, 80, 4))
    model = Model.from_params(params["model"], vocab=Vocabulary.from_instances(instances))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    batch = Batch(instances)
    batch.index_instances(model.vocab)
    for _ in range(50):
        loss = model.train()(**batch.as_tensor_dict())["loss"]
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return Predictor.by_name(model.default_predictor or "text_classifier")(model, reader), instances


def words_of(instance, field="tokens"):
    return [token.text for token in instance[field].tokens]


def some_words(predictor, instances):
    """Return the first sentence with a predicted entity, or the first one if there are no entities."""
    for instance in instances:
        if predictor.predict_json({"words": words_of(instance)}).get("spans", True):
            return words_of(instance)
    raise AssertionError("no entities are predicted in any sentence")


@pytest.mark.parametrize(
    "interpreter", slow_but([SimpleGradient, IntegratedGradient, SmoothGradient], fast=[SimpleGradient])
)
@pytest.mark.parametrize("config", slow_but(OVERRIDES, fast=FAST))
def test_saliency(config, interpreter):
    """
    Each word has a share, the shares sum to 1 and differ: for each predicted entity, or once. AllenNLP
    numbers the gradients from the last text backwards: 1 is the hypothesis.
    """
    predictor, instances = trained(config)
    words = some_words(predictor, instances) if config not in PAIRS else None
    given, counts = (PAIR, [5, 8]) if config in PAIRS else ({"words": words}, [len(words)])
    result = interpreter(predictor).saliency_interpret_from_json(given)
    assert len(result) == len(predictor.predict_json(given).get("spans", [None]))
    for gradients in result.values():
        assert len(gradients) == len(counts)
        for number, count in enumerate(counts, 1):
            saliency = gradients[f"grad_input_{number}"]
            assert len(saliency) == count and all(numpy.isfinite(saliency))
            assert sum(saliency) == pytest.approx(1)
            assert min(saliency) >= 0 and max(saliency) > 1.05 / count


@pytest.mark.parametrize(
    "tags, labelled",
    [
        ("B-PER L-PER O U-LOC", ["B-PER L-PER O O", "O O O U-LOC"]),
        ("B-PER O O O", ["B-PER O O O"]),  # tags that violate the scheme are entities, too
        ("O O O O", ["O O O O"]),
    ],
)
def test_entities_are_labelled_one_by_one(tags, labelled):
    predictor, _ = trained("ner_slstm")
    plain = predictor._dataset_reader.text_to_instance(list(map(Token, "abcd")))
    found = predictor.predictions_to_labeled_instances(plain, {"tags": tags.split()})
    assert [" ".join(one["tags"].labels) for one in found] == labelled
    assert all(one["ignore_loss_on_o_tags"].flag_value == ("PER" in tags) for one in found)


def prediction(predictor, words):
    output = predictor.predict_json({"words": words})
    return output.get("label", output.get("tags"))


def attacked(attacker, predictor, given, words, *names):
    """Return the words after an attack for each prediction. They are fewer, or as many other ones."""
    attack = attacker(predictor)
    attack.initialize()
    found = attack.attack_from_json(given, *names)["final"]
    known = predictor._model.vocab.get_token_to_index_vocabulary("tokens")
    for final in found:
        if attacker is Hotflip:
            flipped = [new for new, old in zip(final, words) if new != old]
            assert len(final) == len(words) and flipped and set(flipped) <= {*known}
        else:
            left = iter(words)
            assert 0 < len(final) < len(words) and all(word in left for word in final)
    return found


@pytest.mark.parametrize("config", slow_but(CLASSIFIERS, fast=FAST))
def test_attacks_on_texts(config):
    """With fewer words the label is the same. Some attacks with other words change it."""
    predictor, instances = trained(config)
    changed = []
    for words in map(words_of, instances[:5]):
        if len(words) > 1:
            (fewer,) = attacked(InputReduction, predictor, {"words": words}, words)
            assert prediction(predictor, fewer) == prediction(predictor, words)
        (other,) = attacked(Hotflip, predictor, {"words": words}, words)
        changed.append(prediction(predictor, other) != prediction(predictor, words))
    assert any(changed)


@pytest.mark.parametrize("config", PAIRS)
@pytest.mark.parametrize("names", [("hypothesis", "grad_input_1"), ("premise", "grad_input_2")])
@pytest.mark.parametrize("attacker", [InputReduction, Hotflip])
def test_attacks_on_pairs(config, names, attacker):
    predictor, _ = trained(config)
    words = words_of(predictor._json_to_instance(PAIR), names[0])
    assert len(attacked(attacker, predictor, PAIR, words, *names)) == 1


def test_attacks_on_tags():
    predictor, instances = trained("ner_slstm")
    words = some_words(predictor, instances)
    spans = predictor.predict_json({"words": words})["spans"]
    assert len(attacked(InputReduction, predictor, {"words": words}, words)) == len(spans) > 0
    assert attacked(Hotflip, predictor, {"words": words}, words)
    predictor, instances = trained("pos_slstm")
    words = words_of(instances[0])
    (other,) = attacked(Hotflip, predictor, {"words": words}, words)
    assert prediction(predictor, other) != prediction(predictor, words)
