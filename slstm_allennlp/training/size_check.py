"""
Check at the start of training that the sizes of a model's modules match, and that it has all labels of
the data, and name the wrong key of the config.
"""

import inspect
import logging
from typing import Any, List, Optional, Set, Tuple

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.common.util import SigTermReceived
from allennlp.data import Batch, DataLoader, Instance
from allennlp.data.data_loaders import MultiProcessDataLoader
from allennlp.models import Model
from allennlp.modules import FeedForward, Seq2SeqEncoder, Seq2VecEncoder, TextFieldEmbedder
from allennlp.modules.encoder_base import _EncoderBase
from allennlp.nn.util import move_to_device

from slstm_allennlp.encoders.sized import INPUT_SIZES
from slstm_allennlp.models.class_weights import WithClassWeights
from slstm_allennlp.models.summary import namespace_of

logger = logging.getLogger(__name__)

_SIZED = (FeedForward, Seq2SeqEncoder, Seq2VecEncoder)


def check_sizes(model: Model, loader: DataLoader, device: torch.device) -> Set[str]:
    """
    Run the model on one instance, and compare the size of each input of an encoder or feed-forward
    network with its `get_input_dim()`. Return the names of the metrics that the model has then; none if
    that is not known. Afterwards the metrics are reset, and the model's mode is restored.
    `ConfigurationError` for a size that does not match, with its config key and the module before it,
    and for labels that the model does not have. Other errors are left to the training.
    """
    instance = _first_instance(loader)
    metrics: Set[str] = set()
    if instance is None:
        return metrics
    _check_labels(model)
    is_training = model.training
    hooks = _check_each_input(model)
    try:
        batch = Batch([instance, instance])  # twice, since some models drop dimensions of size one
        batch.index_instances(model.vocab)
        with torch.no_grad():
            model.eval()(**move_to_device(batch.as_tensor_dict(), device))
            metrics = {"loss", *model.get_metrics()}
    except (_SizeError, SigTermReceived):
        raise
    except Exception:
        logger.debug("The sizes were not checked", exc_info=True)
    finally:
        for hook in hooks:
            hook.remove()
        model.train(is_training)
        _reset(model)
    return metrics


def _first_instance(loader: Any) -> Optional[Instance]:
    kind = type(loader)
    if kind is MultiProcessDataLoader and loader.num_workers and not loader._instances:
        try:
            instance = next(iter(loader.reader.read(loader.data_path)), None)  # starts no workers
            if instance is not None:
                loader.reader.apply_token_indexers(instance)
            return instance
        except SigTermReceived:
            raise
        except Exception:
            logger.debug("The reader needs its worker", exc_info=True)
    return next(iter(loader.iter_instances()), None)


def _check_labels(model: Any) -> None:
    """Raise `ConfigurationError` if the vocabulary has labels beyond those of the model."""
    sizes = (getattr(model, name, None) for name in ("_num_labels", "num_tags", "num_classes"))
    size = next((size for size in sizes if isinstance(size, int)), None)
    namespace = namespace_of(model)
    labels = [*model.vocab.get_token_to_index_vocabulary(namespace)]
    others = [name for name in model.vocab.get_namespaces() if name != namespace]
    is_of_another = size in map(model.vocab.get_vocab_size, others)
    if size == 1 and not isinstance(model, WithClassWeights):
        return  # another project's model with one output for two classes
    if size is not None and size < len(labels) and not is_of_another:
        raise ConfigurationError(
            f"the data have labels that the model has no place for ({', '.join(labels[size:])}), "
            f"expected its {size}: {', '.join(labels[:size])} (model.num_labels has to count all; a "
            "model of from_archive learns no new ones)"
        )


class _SizeError(ConfigurationError):
    pass


def _check_each_input(model: Model) -> List[Any]:
    """Return hooks on a model's modules that raise `_SizeError` for an input that does not fit."""
    names = {module: _key_of(name) for name, module in model.named_modules()}
    outputs: List[Tuple[str, int]] = []  # name and output size of each module that was called

    def check(module: Any, inputs: Tuple[torch.Tensor, ...]) -> None:
        if not inputs:  # given by name, which hooks do not see
            return
        given, taken = inputs[0].size(-1), module.get_input_dim()
        if given != taken:
            arguments = inspect.signature(type(module).__init__).parameters
            name = next((name for name in INPUT_SIZES if name in arguments), INPUT_SIZES[0])
            key = f"{names[module]}.{name}"
            source = next((name for name, size in reversed(outputs) if size == given), None)
            before = f" (the {outputs[-1][0]} gives {outputs[-1][1]})" if outputs else ""
            gives = f"{given} numbers are given to {names[module]}{before}"
            if source is not None:
                gives = f"the {source} gives {given}"
            raise _SizeError(f"{gives}, {key} is {taken}, expected {given}")

    def note(module: torch.nn.Module, inputs: Any, output: torch.Tensor) -> None:
        outputs.append((names[module].rpartition(".")[2], output.size(-1)))

    sized = [module for module in model.modules() if isinstance(module, _SIZED)]
    noted = [*sized, *(module for module in model.modules() if isinstance(module, TextFieldEmbedder))]
    return [
        *(module.register_forward_pre_hook(check) for module in sized),
        *(module.register_forward_hook(note) for module in noted),
    ]


def _key_of(name: str) -> str:
    """Return the config key of a module, such as `model.feedforward` for `_feedforward`."""
    parts = [part.lstrip("_") for part in name.split(".") if part not in ("_module", "")]
    return ".".join(["model", *parts])


def _reset(model: Model) -> None:
    """Forget the instance, in the metrics and in encoders that keep their last state (`stateful`)."""
    for module in model.modules():
        if isinstance(module, _EncoderBase):
            module.reset_states()
    try:
        model.get_metrics(reset=True)
    except Exception:  # a metric that was not called may raise an error
        logger.debug("The metrics were not reset", exc_info=True)
