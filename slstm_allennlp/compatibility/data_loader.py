"""
Lets `MultiProcessDataLoader` start its workers by `"spawn"` and `"forkserver"`. AllenNLP makes the lock
of the progress bars in the default context (fork) and hands it to workers of any `start_method`, which
raises since Python 3.11.5.
"""

from multiprocessing.context import BaseContext
from multiprocessing.queues import JoinableQueue
from typing import Any

from allennlp.data.data_loaders import MultiProcessDataLoader, multiprocess_data_loader

from slstm_allennlp.common.changes import Original, replaces


@replaces(MultiProcessDataLoader, "_start_instance_workers")
@replaces(MultiProcessDataLoader, "_start_batch_workers")
def _start_with_its_lock(
    original: Original, self: MultiProcessDataLoader, queue: JoinableQueue, ctx: BaseContext
) -> Any:
    module = multiprocess_data_loader.mp
    default, module.RLock = module.RLock, ctx.RLock  # type: ignore[attr-defined]
    try:
        return original(self, queue, ctx)
    finally:
        module.RLock = default  # type: ignore[attr-defined]
