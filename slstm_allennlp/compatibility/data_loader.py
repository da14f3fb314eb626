from multiprocessing.connection import Connection
from multiprocessing.context import BaseContext
from multiprocessing.process import BaseProcess
from multiprocessing.queues import JoinableQueue
from typing import Callable, List, Tuple

from allennlp.common.tqdm import Tqdm
from allennlp.data.data_loaders import MultiProcessDataLoader

from slstm_allennlp.compatibility.changes import replace

_Workers = Tuple[List[BaseProcess], List[Connection]]


def let_workers_inherit_the_lock() -> None:
    """
    Lets `MultiProcessDataLoader` start its workers by `"spawn"` and `"forkserver"`. AllenNLP makes the
    lock of the progress bars in the default context (fork) and hands it to workers of any
    `start_method`, which raises since Python 3.11.5.
    """
    replace(MultiProcessDataLoader, "_start_instance_workers", _start_instance_workers)
    replace(MultiProcessDataLoader, "_start_batch_workers", _start_batch_workers)


def _start_instance_workers(
    self: MultiProcessDataLoader, queue: JoinableQueue, ctx: BaseContext
) -> _Workers:
    return _start_workers(_number(self), self._instance_worker, queue, ctx)


def _start_batch_workers(
    self: MultiProcessDataLoader, queue: JoinableQueue, ctx: BaseContext
) -> _Workers:
    return _start_workers(_number(self), self._batch_worker, queue, ctx)


def _number(loader: MultiProcessDataLoader) -> int:
    return loader.num_workers  # type: ignore[has-type]


def _start_workers(
    number: int, target: Callable[..., None], queue: JoinableQueue, ctx: BaseContext
) -> _Workers:
    lock = ctx.RLock()
    Tqdm.set_lock(lock)
    workers: List[BaseProcess] = []
    stoppers: List[Connection] = []
    for worker_id in range(number):
        receiver, stopper = ctx.Pipe(duplex=False)
        worker = ctx.Process(  # type: ignore[attr-defined]
            target=target, args=(worker_id, queue, lock, receiver), daemon=True
        )
        worker.start()
        workers.append(worker)
        stoppers.append(stopper)
    return workers, stoppers
