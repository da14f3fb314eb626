"""What a model is, in a few words: for the console and for a model's card."""

from typing import Dict, Iterator, List

import torch
from allennlp.models import Model
from allennlp.modules import Seq2SeqEncoder, Seq2VecEncoder, TextFieldEmbedder
from allennlp.modules.seq2seq_encoders import ComposeEncoder

from slstm_allennlp.common.registered_name import registered_name
from slstm_allennlp.models.fitted_model import FittedModel
from slstm_allennlp.modules import SentenceStateLSTM
from slstm_allennlp.modules.seq2vec_encoders import ComposeSeq2VecEncoder
from slstm_allennlp.ops.slstm.settings import PRESETS

_COMPOSED = (ComposeEncoder, ComposeSeq2VecEncoder)


def model_name(model: Model) -> str:
    """The name that configs have for it, or that of its class."""
    return registered_name(Model, model)


def encoder_names(model: Model) -> List[str]:
    """
    The names of the encoders that have weights, without those in an embedder or in another encoder, but
    for `compose`, which has a name for each of its own; an S-LSTM's with its preset: `slstm (balanced)`.
    """
    return [
        _encoder_name(encoder) for encoder in _encoders(model) if any(True for _ in encoder.parameters())
    ]


def preset(encoder: SentenceStateLSTM) -> str:
    """The name of its transition, or `own transition` for a combination that has none."""
    for name, transition in PRESETS.items():
        if encoder.settings.transition == transition:
            return name
    return "own transition"


def num_weights(model: torch.nn.Module) -> Dict[str, int]:
    """All of them, and those that are trained; of a model that is fitted at once, what was fitted."""
    if isinstance(model, FittedModel):
        return {"all": model.num_weights, "trained": model.num_weights}
    weights = list(model.parameters())
    return {
        "all": sum(weight.numel() for weight in weights),
        "trained": sum(weight.numel() for weight in weights if weight.requires_grad),
    }


def _encoders(module: torch.nn.Module) -> Iterator[torch.nn.Module]:
    for child in module.children():
        is_encoder = isinstance(child, (Seq2SeqEncoder, Seq2VecEncoder))
        if is_encoder and not isinstance(child, _COMPOSED):
            yield child
        elif not isinstance(child, TextFieldEmbedder):
            yield from _encoders(child)


def _encoder_name(encoder: torch.nn.Module) -> str:
    base = Seq2VecEncoder if isinstance(encoder, Seq2VecEncoder) else Seq2SeqEncoder
    name = registered_name(base, encoder)
    presets = {preset(each) for each in encoder.modules() if isinstance(each, SentenceStateLSTM)}
    return f"{name} ({', '.join(sorted(presets))})" if presets else name
