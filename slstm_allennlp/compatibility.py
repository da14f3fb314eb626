"""
The only attributes of other packages that this package replaces: without them, AllenNLP 2.10.1 does not
run on the pinned PyTorch and transformers, and no registered name leads to them. tests/import_test.py
checks that there are no others. With the versions that AllenNLP was released for, they have no effect.
"""

import functools
from multiprocessing.context import BaseContext
from multiprocessing.queues import JoinableQueue
from typing import Any, Callable

from allennlp.common import cached_transformers
from allennlp.data.data_loaders import MultiProcessDataLoader, multiprocess_data_loader


def _with_lock_of_context(start: Callable[..., Any]) -> Callable[..., Any]:
    """
    Make the start methods `"spawn"` and `"forkserver"` work. AllenNLP creates the lock of the progress
    bars in the default context (fork) and passes it to workers of any context, which raises an error
    since Python 3.11.5.
    """

    @functools.wraps(start)
    def replacement(self: MultiProcessDataLoader, queue: JoinableQueue, ctx: BaseContext) -> Any:
        module = multiprocess_data_loader.mp
        default, module.RLock = module.RLock, ctx.RLock  # type: ignore[attr-defined]
        try:
            return start(self, queue, ctx)
        finally:
            module.RLock = default  # type: ignore[attr-defined]

    return replacement


def _without_special_tokens(get_tokenizer: Callable[..., Any]) -> Callable[..., Any]:
    """
    Load a tokenizer without `add_special_tokens`. When a tokenizer is created, transformers 4.40 ignores
    this argument and 4.46 refuses it. AllenNLP also passes it to each call of the tokenizer.
    """

    @functools.wraps(get_tokenizer)
    def replacement(model_name: str, *args: Any, add_special_tokens: bool = True, **kwargs: Any) -> Any:
        return get_tokenizer(model_name, *args, **kwargs)

    return replacement


for _start in ("_start_instance_workers", "_start_batch_workers"):
    setattr(
        MultiProcessDataLoader, _start, _with_lock_of_context(getattr(MultiProcessDataLoader, _start))
    )
cached_transformers.get_tokenizer = _without_special_tokens(cached_transformers.get_tokenizer)
