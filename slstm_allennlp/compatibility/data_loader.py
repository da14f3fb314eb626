import functools
from multiprocessing.context import BaseContext
from multiprocessing.queues import JoinableQueue
from typing import Any, Callable

from allennlp.data.data_loaders import MultiProcessDataLoader, multiprocess_data_loader

from slstm_allennlp.compatibility.changes import replace


def let_workers_inherit_the_lock() -> None:
    """
    Lets `MultiProcessDataLoader` start its workers by `"spawn"` and `"forkserver"`. AllenNLP makes the
    lock of the progress bars in the default context (fork) and hands it to workers of any
    `start_method`, which raises since Python 3.11.5.
    """
    for name in ("_start_instance_workers", "_start_batch_workers"):
        replace(MultiProcessDataLoader, name, _with_its_lock(getattr(MultiProcessDataLoader, name)))


def _with_its_lock(start: Callable[..., Any]) -> Callable[..., Any]:
    """The method, in which a lock is one of the workers' context."""

    @functools.wraps(start)
    def start_with_lock(self: MultiProcessDataLoader, queue: JoinableQueue, ctx: BaseContext) -> Any:
        module = multiprocess_data_loader.mp
        default, module.RLock = module.RLock, ctx.RLock  # type: ignore[attr-defined]
        try:
            return start(self, queue, ctx)
        finally:
            module.RLock = default  # type: ignore[attr-defined]

    return start_with_lock
