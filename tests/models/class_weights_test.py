"""`class_weights` of every classifier, and of the CRF tagger."""

import json

import pytest
import torch
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import DatasetReader, Vocabulary
from allennlp.data.data_loaders import SimpleDataLoader
from allennlp.models import Model
from allennlp.training import Trainer

from slstm_allennlp.models.class_weights import check_class_weights

EMBEDDER = {"token_embedders": {"tokens": {"type": "embedding", "embedding_dim": 4}}}
BOE = {"type": "boe", "embedding_dim": 4}
BASIC = {"type": "basic_classifier", "text_field_embedder": EMBEDDER, "seq2vec_encoder": BOE}
LINEAR = {"type": "linear_classifier", "strengths": [1]}
TEXTS = "text,label\n" + "a good film,yes\n" * 6 + "a bad film,no\n" * 2
PAIRS = "text_a,text_b,label\n" + "good,film,yes\n" * 6 + "bad,film,no\n" * 2
TAGS = "good yes\nfilm yes\nbad no\nfilm yes\n\n" * 3
BOTH = {"type": "classifier_and_linear", "classifier": BASIC, "linear": {"strengths": [1]}}
CRF = {"type": "crf_tagger", "text_field_embedder": EMBEDDER}
CRF["encoder"] = {"type": "pass_through", "input_dim": 4}
NEURAL = [(BASIC, TEXTS), (BOTH, TEXTS), (CRF, TAGS)]
NEURAL.append(({**BASIC, "type": "sentence_pair_classifier"}, PAIRS))
WEIGHTED = {**BASIC, "class_weights": "balanced"}
LINEARS = [(LINEAR, TEXTS), ({**LINEAR, "type": "linear_pair_classifier"}, PAIRS)]


def build(folder, config, content, weights):
    table = {"type": "table", "tokenizer": {"type": "whitespace"}}
    columns = {"type": "tagged_text", "format": "columns"}
    reader = {**(columns if content == TAGS else table), "token_indexers": {"tokens": "single_id"}}
    (folder / "data.csv").write_text(content)
    instances = list(DatasetReader.from_params(Params(reader)).read(folder / "data.csv"))
    vocab = Vocabulary.from_instances(instances)
    model = json.loads(json.dumps({**config, "class_weights": weights}))
    loader = SimpleDataLoader(instances, 4, vocab=vocab)
    return Model.from_params(Params(model), vocab=vocab), loader


@pytest.mark.parametrize("given, expected", [("balanced", [8 / 12, 8 / 4]), ({"no": 3}, [1, 3])])
@pytest.mark.parametrize("config, content", NEURAL, ids=lambda value: value if "type" in value else "")
def test_the_loss_has_the_weights(tmp_path, config, content, given, expected):
    model, loader = build(tmp_path, config, content, given)
    trainer = Params({"optimizer": "adam", "num_epochs": 1, "cuda_device": -1})
    parts = {"model": model, "data_loader": loader, "serialization_dir": str(tmp_path)}
    Trainer.from_params(trainer, **parts).train()
    weighted = getattr(model, "classifier", model)
    assert weighted.weight_buffer().tolist() == pytest.approx(expected)
    again, _ = build(tmp_path, config, content, given)
    again.load_state_dict(model.state_dict())  # as from an archive
    assert getattr(again, "classifier", again).weight_buffer().tolist() == pytest.approx(expected)


@pytest.mark.parametrize("config, content", [*NEURAL, *LINEARS])
def test_without_weights_the_state_dict_is_as_it_was(tmp_path, config, content):
    model, _ = build(tmp_path, config, content, None)
    assert not any("weights" in key or "_loss" in key for key in model.state_dict())


def test_the_weights_are_those_of_the_cross_entropy(tmp_path):
    model, loader = build(tmp_path, BASIC, TEXTS, {"no": 3})
    batch = next(iter(loader))
    output, weight = model(**batch), torch.tensor([1.0, 3.0])
    expected = torch.nn.functional.cross_entropy(output["logits"], batch["label"], weight=weight)
    assert output["loss"].item() == pytest.approx(expected.item())
    both, _ = build(tmp_path, BOTH, TEXTS, {"no": 3})
    assert both.linear.class_weights == both.classifier.class_weights == {"no": 3}


@pytest.mark.parametrize("given", ["balanced", {"no": 3}])
@pytest.mark.parametrize("config, content", LINEARS)
def test_a_linear_model_sees_the_rare_class_more_often(tmp_path, config, content, given):
    probability = []
    for weights in (None, given):
        model, loader = build(tmp_path, config, content, weights)
        model.fit(loader.instances, None)
        features = model._combined([model._vectorizer.transform([["zzz"]])] * len(model.texts))
        logits = torch.as_tensor(model._logits(model.fitted, features))
        probability.append(logits.softmax(-1)[0, 1].item())
    assert probability[1] > probability[0] + 0.1


MISTAKES = [
    ("balance", "is 'balance', expected \"balanced\" or the weights of classes, such as"),
    ({"noo": 2}, "class_weights has the class 'noo', did you mean 'no'"),
    ({"no": 0}, "class_weights has 0 for 'no', expected a number above 0"),
    ({"no": "3"}, "class_weights has '3' for 'no', expected a number above 0"),
    ({"no": True}, "class_weights has True for 'no', expected a number above 0"),
    ([1, 2], r"is \[1, 2\], expected \"balanced\" or the weights of classes, such as"),
]
CONTRADICTIONS = [
    ({**CRF, "label_weights": {"no": 5}}, TAGS, "crf_tagger: class_weights and label_weights"),
    ({**BOTH, "classifier": WEIGHTED}, TEXTS, "class_weights, and a part has its own"),
    ({**BASIC, "num_labels": 3}, TEXTS, "the model has 3 classes and the data have 2 labels"),
]


@pytest.mark.parametrize(
    "config, content, given, message",
    [(*model, *mistake) for model in (*NEURAL, *LINEARS) for mistake in MISTAKES]
    + [(config, content, {"no": 3}, message) for config, content, message in CONTRADICTIONS],
)
def test_mistakes(tmp_path, config, content, given, message):
    with pytest.raises(ConfigurationError, match=message):
        build(tmp_path, config, content, given)


def test_labels_that_are_numbers():
    with pytest.raises(ConfigurationError, match=r'is 3, expected "balanced" or .*{"label": 2}'):
        check_class_weights(3, {})
