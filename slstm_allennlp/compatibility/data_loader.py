from multiprocessing.connection import Connection
from multiprocessing.context import BaseContext
from multiprocessing.process import BaseProcess
from multiprocessing.queues import JoinableQueue
from typing import Any, Callable, Dict, List, Tuple

from allennlp.common.tqdm import Tqdm
from allennlp.data.data_loaders import DataLoader, MultiProcessDataLoader, MultiTaskDataLoader


@DataLoader.register("multiprocess", exist_ok=True)
class SpawnSafeDataLoader(MultiProcessDataLoader):
    """
    AllenNLP's data loader with a progress lock that its workers can inherit. AllenNLP makes the lock
    in the default context (fork) and hands it to workers of any `start_method`; since Python 3.11.5
    that raises for `"spawn"` and `"forkserver"`.

    Registered as a `DataLoader` with name "multiprocess", the default, in AllenNLP's place and with its
    parameters.
    """

    num_workers: int

    def _start_instance_workers(
        self, queue: JoinableQueue, ctx: BaseContext
    ) -> Tuple[List[BaseProcess], List[Connection]]:
        return self._start_workers(self._instance_worker, queue, ctx)

    def _start_batch_workers(
        self, queue: JoinableQueue, ctx: BaseContext
    ) -> Tuple[List[BaseProcess], List[Connection]]:
        return self._start_workers(self._batch_worker, queue, ctx)

    def _start_workers(
        self, target: Callable[..., None], queue: JoinableQueue, ctx: BaseContext
    ) -> Tuple[List[BaseProcess], List[Connection]]:
        lock = ctx.RLock()
        Tqdm.set_lock(lock)
        workers: List[BaseProcess] = []
        stoppers: List[Connection] = []
        for worker_id in range(self.num_workers):
            receiver, stopper = ctx.Pipe(duplex=False)
            worker = ctx.Process(  # type: ignore[attr-defined]
                target=target, args=(worker_id, queue, lock, receiver), daemon=True
            )
            worker.start()
            workers.append(worker)
            stoppers.append(stopper)
        return workers, stoppers


@DataLoader.register("multitask", exist_ok=True)
class SpawnSafeMultiTaskDataLoader(MultiTaskDataLoader):
    """
    AllenNLP's data loader for several tasks, over `SpawnSafeDataLoader`.

    Registered as a `DataLoader` with name "multitask", in AllenNLP's place and with its parameters.
    """

    def _make_data_loader(self, key: str) -> MultiProcessDataLoader:
        options: Dict[str, Any] = {
            name: values[key]
            for name, values in (
                ("num_workers", self._num_workers),
                ("max_instances_in_memory", self._max_instances_in_memory),
                ("start_method", self._start_method),
            )
            if key in values
        }
        # Instances are taken from it, never batches, for which it wants a size all the same.
        return SpawnSafeDataLoader(
            reader=self.readers[key], data_path=self.data_paths[key], batch_size=1, **options
        )
