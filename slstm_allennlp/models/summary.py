"""What a model is: its inputs, labels and encoding, and a summary for the console and model cards."""

import inspect
from typing import Any, Dict, Iterator, List, Mapping, Optional

import torch
from allennlp.models import Model
from allennlp.modules import Seq2SeqEncoder, Seq2VecEncoder, TextFieldEmbedder
from allennlp.modules.seq2seq_encoders import ComposeEncoder
from allennlp.training.metrics import Metric, SpanBasedF1Measure

from slstm_allennlp.common.registered_name import registered_name
from slstm_allennlp.encoders import ComposeSeq2VecEncoder
from slstm_allennlp.metrics.span_tags import ENCODINGS
from slstm_allennlp.modules import SentenceStateLSTM
from slstm_allennlp.ops.slstm.settings import PRESETS

_COMPOSED = (ComposeEncoder, ComposeSeq2VecEncoder)


def model_name(model: Model) -> str:
    """Return the registered name of a model, or that of its class."""
    return registered_name(Model, model)


def inputs_of(name: Any) -> Mapping[str, inspect.Parameter]:
    """Return what the `forward` of the model of this registered name takes, which shows its task."""
    return inspect.signature(Model.resolve_class_name(str(name))[0].forward).parameters


def namespace_of(model: Any) -> str:
    """Return the vocabulary's namespace of the labels that a model predicts."""
    return getattr(model, "label_namespace", getattr(model, "_label_namespace", "labels"))


def encoding_of(model: Any) -> Optional[str]:
    """
    Return the encoding of a tagger, or that of the span F1 of its tags. None if it has neither. In
    another project's model, the name `label_encoding` may mean something else.
    """
    encoding = getattr(model, "label_encoding", None)
    if isinstance(encoding, str) and encoding in ENCODINGS:
        return encoding
    f1s = [metric for metric in metrics_of(model) if isinstance(metric, SpanBasedF1Measure)]
    labels = model.vocab.get_index_to_token_vocabulary(namespace_of(model)) if f1s else {}
    of_tags = (f1._label_encoding for f1 in f1s if labels in ({}, f1._label_vocabulary))
    return next(filter(None, of_tags), None)


def metrics_of(model: torch.nn.Module) -> List[Metric]:
    """Return all metrics that are attributes of a model's modules, or in dictionaries or lists there."""
    found: Dict[int, Metric] = {}
    for module in model.modules():
        for value in vars(module).values():
            values = value.values() if isinstance(value, dict) else value
            for item in values if isinstance(value, (dict, list, tuple)) else (value,):
                if isinstance(item, Metric):
                    found[id(item)] = item
    return list(found.values())


def encoder_names(model: Model) -> List[str]:
    """
    Return the names of the encoders that have weights. The name of an S-LSTM includes its preset:
    `slstm (balanced)`. Encoders inside an embedder or another encoder are left out, but `compose` is
    replaced by its parts.
    """
    names = []
    for encoder in _encoders(model):
        if next(encoder.parameters(), None) is not None:
            base = Seq2VecEncoder if isinstance(encoder, Seq2VecEncoder) else Seq2SeqEncoder
            name = registered_name(base, encoder)
            slstms = [each for each in encoder.modules() if isinstance(each, SentenceStateLSTM)]
            presets = ", ".join(sorted(set(map(preset, slstms))))
            names.append(f"{name} ({presets})" if presets else name)
    return names


def preset(encoder: SentenceStateLSTM) -> str:
    """Return the preset of an S-LSTM's transition, or `own transition` if it is none of the presets."""
    transition = encoder.settings.transition
    return next((name for name, known in PRESETS.items() if known == transition), "own transition")


def num_weights(model: torch.nn.Module) -> Dict[str, int]:
    """Count `all` and `trained` weights, with those that another library fits (`num_weights`)."""
    fitted = getattr(model, "num_weights", 0)
    weights = list(model.parameters())
    return {
        "all": fitted + sum(weight.numel() for weight in weights),
        "trained": fitted + sum(weight.numel() for weight in weights if weight.requires_grad),
    }


def _encoders(module: torch.nn.Module) -> Iterator[torch.nn.Module]:
    for child in module.children():
        is_encoder = isinstance(child, (Seq2SeqEncoder, Seq2VecEncoder))
        if is_encoder and not isinstance(child, _COMPOSED):
            yield child
        elif not isinstance(child, TextFieldEmbedder):
            yield from _encoders(child)
