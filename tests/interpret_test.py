"""AllenNLP's own saliency interpreters and attackers on models with this project's encoders."""

import functools
import itertools
import json

import numpy
import pytest
import torch
from allennlp.common import Params
from allennlp.common.plugins import import_plugins
from allennlp.data import Batch, DatasetReader, Vocabulary
from allennlp.interpret.attackers import Hotflip, InputReduction
from allennlp.interpret.saliency_interpreters import IntegratedGradient, SimpleGradient, SmoothGradient
from allennlp.models import Model
from allennlp.predictors import Predictor

from tests.conftest import slow_but

TOKENS = "model.text_field_embedder.token_embedders.tokens.embedding_dim"
TEXTS = {
    TOKENS: 10,
    "model.seq2vec_encoder.input_size": 10,
    "model.seq2vec_encoder.hidden_size": 10,
}
TAGS = {TOKENS: 10, "model.encoder.input_size": 60, "model.encoder.hidden_size": 10}
CLASSIFIERS = {
    "mr_slstm": {**TEXTS, "model.seq2seq_encoder.input_dim": 10},
    "mr_cnn": {**TEXTS, "model.seq2seq_encoder.input_dim": 10},
    "mr_coupled_lstm": {**TEXTS, "model.seq2seq_encoder.input_dim": 10},
    "sst2_cas_lstm": {
        **TEXTS,
        "model.seq2seq_encoder.input_dim": 10,
        "model.feedforward.input_dim": 10,
        "model.feedforward.hidden_dims": 10,
    },
}
PAIRS = {
    name: {**TEXTS, "model.feedforward.hidden_dims": 10} for name in ("snli_slstm", "snli_cas_lstm")
}
TAGGERS = {"ner_slstm": TAGS, "pos_slstm": TAGS}
OVERRIDES = {**CLASSIFIERS, **PAIRS, **TAGGERS}
SOME_CLASSIFIERS = slow_but(CLASSIFIERS, fast=["mr_slstm", "sst2_cas_lstm"])
INTERPRETERS = (SimpleGradient, IntegratedGradient, SmoothGradient)


@pytest.fixture(scope="module")
def trained():
    """Return a config's small trained predictor and its training instances, cached by config."""
    return functools.cache(train)


def train(config):
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


def words_with_entities(predictor, instances):
    """Return the first sentence with a predicted entity, or the first one if tags are no entities."""
    for instance in instances:
        if predictor.predict_json({"words": words_of(instance)}).get("spans", True):
            return words_of(instance)
    raise AssertionError("no entities are predicted in any sentence")


def check_saliency(saliency, count):
    """Check that each word has a share, that the shares sum to 1, and that they differ."""
    assert len(saliency) == count
    assert all(numpy.isfinite(saliency)) and sum(saliency) == pytest.approx(1)
    assert min(saliency) >= 0 and max(saliency) > 1.05 / count


@pytest.mark.parametrize("interpreter", slow_but(INTERPRETERS, fast=[SimpleGradient]))
@pytest.mark.parametrize("config", SOME_CLASSIFIERS)
def test_saliency_of_words(trained, config, interpreter):
    predictor, instances = trained(config)
    for instance in instances[:3]:
        words = words_of(instance)
        result = interpreter(predictor).saliency_interpret_from_json({"words": words})
        check_saliency(result["instance_1"]["grad_input_1"], len(words))


@pytest.mark.parametrize("interpreter", slow_but(INTERPRETERS, fast=[SimpleGradient]))
@pytest.mark.parametrize("config", PAIRS)
def test_saliency_of_pairs(trained, config, interpreter):
    """AllenNLP numbers the gradients from the last text backwards: 1 is the hypothesis."""
    predictor, _ = trained(config)
    pair = {"premise": "A young woman is painting a fence.", "hypothesis": "A person is outdoors."}
    result = interpreter(predictor).saliency_interpret_from_json(pair)["instance_1"]
    assert set(result) == {"grad_input_1", "grad_input_2"}
    check_saliency(result["grad_input_1"], 5)
    check_saliency(result["grad_input_2"], 8)


@pytest.mark.parametrize("interpreter", slow_but(INTERPRETERS, fast=[SimpleGradient]))
def test_saliency_of_tags(trained, interpreter):
    """There is one for each predicted entity, or one for the sentence if the tags are no entities."""
    for config in TAGGERS:
        predictor, instances = trained(config)
        words = words_with_entities(predictor, instances)
        entities = predictor.predict_json({"words": words}).get("spans", [None])
        result = interpreter(predictor).saliency_interpret_from_json({"words": words})
        assert len(result) == len(entities)
        for gradients in result.values():
            check_saliency(gradients["grad_input_1"], len(words))


def test_entities_are_labelled_one_by_one(trained):
    predictor, instances = trained("ner_slstm")
    text = instances[0]["tokens"]
    plain = predictor._dataset_reader.text_to_instance(text.tokens)
    length, begin = len(text.tokens), ["B-PER", "L-PER", "O", "U-LOC"]
    tags = begin + ["O"] * (length - 4)
    one, two = predictor.predictions_to_labeled_instances(plain, {"tags": tags})
    assert one["tags"].labels == ["B-PER", "L-PER"] + ["O"] * (length - 2)
    assert two["tags"].labels == ["O", "O", "O", "U-LOC"] + ["O"] * (length - 4)
    assert one["ignore_loss_on_o_tags"].flag_value and two["ignore_loss_on_o_tags"].flag_value
    # Tags that violate the scheme are entities, too. A sentence without entities is one instance.
    (broken,) = predictor.predictions_to_labeled_instances(
        plain, {"tags": ["B-PER"] + ["O"] * (length - 1)}
    )
    assert broken["tags"].labels[:2] == ["B-PER", "O"]
    (none,) = predictor.predictions_to_labeled_instances(plain, {"tags": ["O"] * length})
    assert none["tags"].labels == ["O"] * length and not none["ignore_loss_on_o_tags"].flag_value


def prediction(predictor, **given):
    output = predictor.predict_json(given)
    return output.get("label", output.get("tags"))


@pytest.mark.parametrize("config", SOME_CLASSIFIERS)
def test_input_reduction(trained, config):
    """The result has fewer words, in the original order, and the same label."""
    predictor, instances = trained(config)
    for instance in instances[:3]:
        words = words_of(instance)
        result = InputReduction(predictor).attack_from_json({"words": words})
        assert result["original"] == words
        (final,) = result["final"]
        left = iter(words)
        assert 0 < len(final) < len(words) and all(word in left for word in final)
        assert prediction(predictor, words=final) == prediction(predictor, words=words)


@pytest.mark.parametrize("config", SOME_CLASSIFIERS)
def test_hotflip(trained, config):
    """Every attack replaces words by others from the vocabulary, and some attacks change the label."""
    predictor, instances = trained(config)
    attacker = Hotflip(predictor)
    attacker.initialize()
    known = predictor._model.vocab.get_token_to_index_vocabulary("tokens")
    changed = []
    for instance in instances[:5]:
        words = words_of(instance)
        result = attacker.attack_from_json({"words": words})
        (final,) = result["final"]
        flipped = [new for new, old in zip(final, words) if new != old]
        assert len(final) == len(words) and flipped and set(flipped) <= set(known)
        changed.append(prediction(predictor, words=final) != prediction(predictor, words=words))
    assert any(changed)


@pytest.mark.parametrize("config", PAIRS)
@pytest.mark.parametrize(
    "field, gradient", [("hypothesis", "grad_input_1"), ("premise", "grad_input_2")]
)
def test_attacks_on_pairs(trained, config, field, gradient):
    predictor, _ = trained(config)
    pair = {"premise": "A young woman is painting a fence.", "hypothesis": "A person is outdoors."}
    words = words_of(predictor._json_to_instance(pair), field)
    reduced = InputReduction(predictor).attack_from_json(pair, field, gradient)["final"][0]
    assert 0 < len(reduced) < len(words)
    attacker = Hotflip(predictor)
    attacker.initialize()
    flipped = attacker.attack_from_json(pair, field, gradient)["final"][0]
    assert len(flipped) == len(words) and flipped != words


def test_attacks_on_entities(trained):
    predictor, instances = trained("ner_slstm")
    words = words_with_entities(predictor, instances)
    before = predictor.predict_json({"words": words})
    reduced = InputReduction(predictor).attack_from_json({"words": words})
    assert len(reduced["final"]) == len(before["spans"]) > 0
    assert all(0 < len(tokens) < len(words) for tokens in reduced["final"])
    attacker = Hotflip(predictor)
    attacker.initialize()
    flipped = attacker.attack_from_json({"words": words})["final"][0]
    assert flipped != words and len(flipped) == len(words)


def test_hotflip_of_tags_that_are_no_entities(trained):
    predictor, instances = trained("pos_slstm")
    words = words_of(instances[0])
    attacker = Hotflip(predictor)
    attacker.initialize()
    flipped = attacker.attack_from_json({"words": words})["final"][0]
    assert prediction(predictor, words=flipped) != prediction(predictor, words=words)
