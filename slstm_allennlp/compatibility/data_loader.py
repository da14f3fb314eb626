"""
Make the start methods `"spawn"` and `"forkserver"` of `MultiProcessDataLoader` work. AllenNLP creates
the lock of the progress bars in the default context (fork) and passes it to workers of any
`start_method`, which raises an error since Python 3.11.5.
"""

from multiprocessing.context import BaseContext
from multiprocessing.queues import JoinableQueue
from typing import Any

from allennlp.data.data_loaders import MultiProcessDataLoader, multiprocess_data_loader

from slstm_allennlp.common.changes import Original, replaces


@replaces(MultiProcessDataLoader, "_start_instance_workers")
@replaces(MultiProcessDataLoader, "_start_batch_workers")
def _start_with_lock_of_context(
    original: Original, self: MultiProcessDataLoader, queue: JoinableQueue, ctx: BaseContext
) -> Any:
    module = multiprocess_data_loader.mp
    default, module.RLock = module.RLock, ctx.RLock  # type: ignore[attr-defined]
    try:
        return original(self, queue, ctx)
    finally:
        module.RLock = default  # type: ignore[attr-defined]
