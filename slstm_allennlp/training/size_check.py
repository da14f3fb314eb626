"""
Check at the start of training that the sizes of a model's modules match, and name the wrong key of the
config.
"""

import inspect
import logging
from typing import Any, Dict, List, Tuple

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import Batch, DataLoader, Instance
from allennlp.models import Model
from allennlp.modules import FeedForward, Seq2SeqEncoder, Seq2VecEncoder, TextFieldEmbedder
from allennlp.nn.util import move_to_device

from slstm_allennlp.common.patch_method import patch_method

logger = logging.getLogger(__name__)

_SIZED = (FeedForward, Seq2SeqEncoder, Seq2VecEncoder)
_KEYS = ("input_dim", "input_size", "embedding_dim")  # config keys for the input size of a module


def check_sizes(model: Model, loader: DataLoader, device: torch.device) -> None:
    """
    Run the model on one instance, and compare the size of each input of an encoder or feed-forward
    network with its `get_input_dim()`. Encoders are not computed: they return zeros of the output size.
    Afterwards the metrics are reset, and the model's mode and PyTorch's random state are restored.

    # Errors

    `ConfigurationError` for a size that does not match, with its config key and the module before it.
    Other errors are left to the training.
    """
    instance = next(iter(loader.iter_instances()), None)
    if instance is None:
        return
    is_training = model.training
    devices = [device] if device.type == "cuda" else []
    checked = [module for module in model.modules() if isinstance(module, (*_SIZED, TextFieldEmbedder))]
    forwards = patch_method(checked, "forward", _Checks(model).forward)
    try:
        with torch.random.fork_rng(devices=devices), torch.no_grad(), forwards:
            model.eval()(**_batch_of(instance, model, device))
    except _SizeError:
        raise
    except Exception:
        logger.debug("The sizes were not checked", exc_info=True)
    finally:
        model.train(is_training)
        _reset_metrics(model)


class _SizeError(ConfigurationError):
    pass


class _Checks:
    """The `forward` of modules: they check the size of their input, and encoders return zeros."""

    def __init__(self, model: Model) -> None:
        self._names = {module: _key_of(name) for name, module in model.named_modules()}
        self._outputs: List[Tuple[str, int]] = []  # name and output size of each module that was called

    def forward(self, module: Any, *arguments: Any, **named: Any) -> torch.Tensor:
        if isinstance(module, TextFieldEmbedder):
            output = type(module).forward(module, *arguments, **named)
        else:
            output = self._checked(module, *arguments, **named)
        self._outputs.append((self._names[module].rpartition(".")[2], output.size(-1)))
        return output

    def _checked(self, module: Any, inputs: torch.Tensor, *_: Any, **named: Any) -> torch.Tensor:
        if inputs.size(-1) != module.get_input_dim():
            raise _SizeError(self._message(module, module.get_input_dim(), inputs.size(-1)))
        if isinstance(module, FeedForward):
            return type(module).forward(module, inputs)
        shape = inputs.shape[:-1] if isinstance(module, Seq2SeqEncoder) else inputs.shape[:1]
        return inputs.new_zeros(*shape, module.get_output_dim())

    def _message(self, module: torch.nn.Module, taken: int, given: int) -> str:
        arguments = inspect.signature(type(module).__init__).parameters
        key = f"{self._names[module]}.{next((key for key in _KEYS if key in arguments), _KEYS[0])}"
        source = next((name for name, size in reversed(self._outputs) if size == given), None)
        if source is not None:
            return f"the {source} gives {given}, {key} is {taken}, expected {given}"
        before = f" (the {self._outputs[-1][0]} gives {self._outputs[-1][1]})" if self._outputs else ""
        what = f"{given} numbers are given to {self._names[module]}{before}"
        return f"{what}, {key} is {taken}, expected {given}"


def _key_of(name: str) -> str:
    """Return the config key of a module, such as `model.feedforward` for `_feedforward`."""
    parts = [part.lstrip("_") for part in name.split(".") if part not in ("_module", "")]
    return ".".join(["model", *parts])


def _batch_of(instance: Instance, model: Model, device: torch.device) -> Dict[str, Any]:
    """Return a batch with the instance twice, since some models drop dimensions of size one."""
    batch = Batch([instance, instance])
    batch.index_instances(model.vocab)
    return move_to_device(batch.as_tensor_dict(), device)


def _reset_metrics(model: Model) -> None:
    try:
        model.get_metrics(reset=True)
    except Exception:  # a metric that was not called may raise an error
        logger.debug("The metrics were not reset", exc_info=True)
