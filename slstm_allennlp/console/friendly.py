"""What `slstm` replaces in AllenNLP while it runs, mostly for better error messages."""

import functools
import inspect
import pkgutil
import re
from contextlib import ExitStack, contextmanager, nullcontext
from types import SimpleNamespace
from typing import Any, Callable, Iterator, Optional
from unittest.mock import patch

import torch
from allennlp.commands import train as allennlp_train
from allennlp.common import FromParams, Params, cached_transformers, util
from allennlp.common.checks import ConfigurationError
from allennlp.data import DatasetReader, Instance, Vocabulary
from allennlp.data.data_loaders import MultiProcessDataLoader
from allennlp.models import Model
from allennlp.predictors import Predictor
from torch.multiprocessing.spawn import ProcessExitedException, ProcessRaisedException

from slstm_allennlp.common.errors import CorpusError
from slstm_allennlp.common.mistakes import users_mistake
from slstm_allennlp.console import config_keys, missing, train
from slstm_allennlp.console.config_keys import Original
from slstm_allennlp.console.quiet import is_quiet, quiet_console
from slstm_allennlp.dataset_readers.lines import shortened
from slstm_allennlp.training.label_counts import words_of

_UNKNOWN_LABEL = re.compile(
    r"'(.*)' not found in vocab namespace '(.*)', and namespace does not contain", re.S
)

_OTHER_SIZE = re.compile(r"size mismatch for (\S+): .*?Size\((.*?)\) from checkpoint.*?Size\((.*?)\)")


@contextmanager
def friendly_messages() -> Iterator[None]:
    """
    Within this context, errors that a user can mend are one sentence, a `ConfigurationError`, the
    archive of a training is written atomically, and importing a package runs no file that has the name
    of a part of it. Afterwards AllenNLP is as it was.
    """
    with ExitStack() as stack:
        for owner, name, function in _REPLACED:
            original = inspect.getattr_static(owner, name)
            stack.enter_context(patch.object(owner, name, _calling(function, original)))
        stack.enter_context(patch.object(allennlp_train, "archive_model", train.archive_model))
        # To look into `allennlp.training`, AllenNLP's `walk_packages` imports `training`, too, which may
        # be a file of the user's in the current folder.
        by_full_name = SimpleNamespace(walk_packages=pkgutil.iter_modules)
        stack.enter_context(patch.object(util, "pkgutil", by_full_name))
        yield


def _calling(function: Callable[..., Any], original: Any) -> Any:
    """Return what replaces the original: it calls `function(original, ...)`."""
    called = original.__func__ if isinstance(original, classmethod) else original

    @functools.wraps(called)
    def replacement(*arguments: Any, **named: Any) -> Any:
        return function(called, *arguments, **named)

    return classmethod(replacement) if isinstance(original, classmethod) else replacement


def _read(original: Original, self: DatasetReader, file_path: Any) -> Iterator[Instance]:
    """Raise `CorpusError` with the file where a reader of AllenNLP's raises another `ValueError`."""
    try:
        yield from original(self, file_path)
    except ValueError as error:
        if isinstance(error, CorpusError):
            raise
        where = "" if str(file_path) in str(error) else f"{file_path}: "
        raise CorpusError(f"{where}{error}") from error


def _index_with(original: Original, self: MultiProcessDataLoader, vocab: Vocabulary) -> None:
    for number, instance in enumerate(self._instances or [], start=1):
        try:
            instance.index_fields(vocab)
        except KeyError as error:
            raise _unknown_label(error, self, vocab, number, instance) from None
    original(self, vocab)


def _iter_instances(original: Original, self: MultiProcessDataLoader) -> Iterator[Instance]:
    number = 0
    try:
        for number, instance in enumerate(original(self), start=1):  # noqa: B007
            yield instance
    except KeyError as error:
        raise _unknown_label(error, self, self._vocab, number + 1) from None


def _unknown_label(
    error: KeyError, loader: Any, vocab: Optional[Vocabulary], number: int, instance: Any = None
) -> Exception:
    """
    Return the error for a label that the model does not know, with the file and the number of the
    sentence, or AllenNLP's for other errors.
    """
    unknown = _UNKNOWN_LABEL.search(str(error.args[0])) if error.args else None
    if unknown is None or vocab is None:
        return error
    label, namespace = unknown.groups()
    known = ", ".join(map(str, vocab.get_token_to_index_vocabulary(namespace)))
    return ConfigurationError(
        f"{loader.data_path}, sentence {number}{words_of(instance)}: {label!r} is a label that the "
        f"model does not know ({namespace}), expected one of {known}"
    )


def _predict(original: Original, self: Predictor, inputs: Any) -> Any:
    """Raise `CorpusError` for a key that the predictor reads and an input does not have."""
    try:
        return original(self, inputs)
    except KeyError:
        for given in inputs if isinstance(inputs, list) else [inputs]:
            try:
                self._json_to_instance(given)
            except KeyError as error:
                raise CorpusError(
                    f"the keys are {', '.join(given)}, expected {error.args[0]}, too, which "
                    f"{type(self).__name__} reads"
                ) from error
        raise


def _load(original: Original, cls: Any, *arguments: Any, **named: Any) -> Model:
    """Raise `ConfigurationError` for weights that are not of the sizes or parts in the config."""
    try:
        return original(cls, *arguments, **named)
    except RuntimeError as error:
        wrong = _OTHER_SIZE.search(str(error))
        if wrong is not None:
            name, archived, here = wrong.groups()
            said = f"the weights {name} have the shape {archived}, and {here} by the config"
        elif "Error loading state dict" in str(error):  # AllenNLP's words
            said = f"the weights are not those of the config ({shortened(' '.join(str(error).split()))})"
        else:
            raise
        raise ConfigurationError(
            f"{said}, expected the same: neither --overrides nor --weights-file can change the sizes "
            "and parts of a trained model"
        ) from error


def _spawn(original: Original, function: Callable[..., Any], args: Any = (), **options: Any) -> Any:
    """
    Start the processes of a distributed training in the same context. If a signal ends one of them, say
    which one, and how to resume. PyTorch stops the others and reports only that one has terminated. The
    user's mistakes in a process are the same sentence here; PyTorch has only the text of its traceback.
    """
    try:
        return original(_in_a_process, args=(is_quiet(), function, *args), **options)
    except ProcessExitedException as error:
        if error.signal_name is not None:
            error.args = (
                f"process {error.error_index} of the distributed training was ended by "
                f"{error.signal_name} (the system sends SIGKILL when memory runs out), and the other "
                "processes were stopped; `slstm train` with --recover resumes from the last checkpoint",
            )
        raise
    except ProcessRaisedException as error:
        kind, _, mistake = str(error).rstrip().splitlines()[-1].partition(": ")
        if not kind.endswith(ConfigurationError.__name__):
            raise
        raise ConfigurationError(mistake) from error


def _in_a_process(rank: int, quiet: bool, function: Callable[..., Any], *arguments: Any) -> None:
    with friendly_messages(), quiet_console() if quiet else nullcontext():
        try:
            function(rank, *arguments)
        except Exception as error:
            mistake = users_mistake(error)
            if mistake is None:
                raise
            raise ConfigurationError(mistake) from error


# Each function gets the original as its first argument, before the arguments of the call.
_REPLACED = (
    (FromParams, "from_params", config_keys.from_params),
    (Params, "from_file", config_keys.read_config),
    (DatasetReader, "read", _read),
    (MultiProcessDataLoader, "index_with", _index_with),
    (MultiProcessDataLoader, "iter_instances", _iter_instances),
    (Model, "load", _load),
    (Predictor, "predict_json", _predict),
    (Predictor, "predict_batch_json", _predict),
    (util, "spacy_download", missing.spacy_download),
    (cached_transformers, "get", missing.get),
    (cached_transformers, "get_tokenizer", missing.get_tokenizer),
    (torch.multiprocessing, "spawn", _spawn),
)
