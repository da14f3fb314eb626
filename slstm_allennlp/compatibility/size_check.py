"""
Has AllenNLP's trainer refuse a model with sizes that do not fit, by the key of the config. It does not
look at distributed models, which may be in parts.
"""

import inspect
import logging
from contextlib import ExitStack
from typing import Any, Dict, List, Tuple

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import Batch, DataLoader, Instance
from allennlp.models import Model
from allennlp.modules import FeedForward, Seq2SeqEncoder, Seq2VecEncoder, TextFieldEmbedder
from allennlp.nn.util import move_to_device
from allennlp.training import GradientDescentTrainer

from slstm_allennlp.common.changes import Original, replaces
from slstm_allennlp.common.patch_method import patch_method

logger = logging.getLogger(__name__)

_SIZED = (FeedForward, Seq2SeqEncoder, Seq2VecEncoder)
_KEYS = ("input_dim", "input_size", "embedding_dim")  # what configs call the size that a module takes


@replaces(GradientDescentTrainer, "__init__")
def _init_and_check(
    original: Original, self: GradientDescentTrainer, *arguments: Any, **named: Any
) -> None:
    original(self, *arguments, **named)
    if not self._distributed:
        check_sizes(self.model, self.data_loader, self.cuda_device)


def check_sizes(model: Model, loader: DataLoader, device: torch.device) -> None:
    """
    Sends one instance through the model and compares what each encoder and feed-forward network is given
    with what it takes. The encoders compute nothing: zeros of their output size take the place of their
    results. The model's metrics, its mode and PyTorch's random numbers are afterwards what they were.

    # Parameters

    model : `Model`
    loader : `DataLoader`
        Indexed with the model's vocabulary.
    device : `torch.device`
        The model's.

    # Errors

    `ConfigurationError` for a size that does not fit, which names the key that has it and the module
    that gives another. Whatever else goes wrong with the instance goes wrong in training, too, and is
    said there.
    """
    instance = next(iter(loader.iter_instances()), None)
    if instance is None:
        return
    is_training = model.training
    devices = [device] if device.type == "cuda" else []
    try:
        with torch.random.fork_rng(devices=devices), torch.no_grad(), _Checked(model):
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


class _Checked(ExitStack):
    """A context in which the model's modules compare sizes, and its encoders do nothing else."""

    def __init__(self, model: Model) -> None:
        super().__init__()
        self._names = {module: _key_of(name) for name, module in model.named_modules()}
        self._given: List[Tuple[str, int]] = []  # modules that have been called and what they gave

    def __enter__(self) -> "_Checked":
        modules = list(self._names)
        self.enter_context(patch_method(_of(modules, _SIZED), "forward", self._sized))
        self.enter_context(patch_method(_of(modules, (TextFieldEmbedder,)), "forward", self._embed))
        return self

    def _sized(self, module: Any, inputs: torch.Tensor, *arguments: Any, **named: Any) -> torch.Tensor:
        taken = module.get_input_dim()
        if inputs.size(-1) != taken:
            raise _SizeError(self._message(module, taken, inputs.size(-1)))
        if isinstance(module, FeedForward):
            return self._noted(module, type(module).forward(module, inputs))
        shape = inputs.shape[:-1] if isinstance(module, Seq2SeqEncoder) else inputs.shape[:1]
        return self._noted(module, inputs.new_zeros(*shape, module.get_output_dim()))

    def _embed(self, module: TextFieldEmbedder, *arguments: Any, **named: Any) -> torch.Tensor:
        return self._noted(module, type(module).forward(module, *arguments, **named))

    def _noted(self, module: torch.nn.Module, output: torch.Tensor) -> torch.Tensor:
        self._given.append((self._names[module].rpartition(".")[2], output.size(-1)))
        return output

    def _message(self, module: torch.nn.Module, taken: int, given: int) -> str:
        key = f"{self._names[module]}.{_size_key(module)}"
        source = next((name for name, size in reversed(self._given) if size == given), None)
        if source is not None:
            return f"the {source} gives {given}, {key} is {taken}, expected {given}"
        before = f" (the {self._given[-1][0]} gives {self._given[-1][1]})" if self._given else ""
        what = f"{given} numbers are given to {self._names[module]}{before}"
        return f"{what}, {key} is {taken}, expected {given}"


def _of(modules: List[torch.nn.Module], types: Tuple[type, ...]) -> List[torch.nn.Module]:
    return [module for module in modules if isinstance(module, types)]


def _key_of(name: str) -> str:
    """The key that a config has for a module of that name: `model.feedforward` for `_feedforward`."""
    parts = [part.lstrip("_") for part in name.split(".") if part not in ("_module", "")]
    return ".".join(["model", *parts])


def _size_key(module: torch.nn.Module) -> str:
    arguments = inspect.signature(type(module).__init__).parameters
    return next((key for key in _KEYS if key in arguments), _KEYS[0])


def _batch_of(instance: Instance, model: Model, device: torch.device) -> Dict[str, Any]:
    """A batch of two such, since some models drop dimensions of size one."""
    batch = Batch([instance, instance])
    batch.index_instances(model.vocab)
    return move_to_device(batch.as_tensor_dict(), device)


def _reset_metrics(model: Model) -> None:
    try:
        model.get_metrics(reset=True)
    except Exception:  # of a metric that was not called, which has nothing to reset
        logger.debug("The metrics were not reset", exc_info=True)
