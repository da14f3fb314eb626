"""SIGTERM and SIGINT end a training behind a checkpoint of that moment."""

import signal
import threading
from contextlib import contextmanager
from types import FrameType
from typing import Any, Dict, Iterator, List, Optional

from allennlp.common.util import SigTermReceived
from allennlp.training import Checkpointer, GradientDescentTrainer

from slstm_allennlp.compatibility.changes import replace

_train = GradientDescentTrainer.train
_maybe_save = Checkpointer.maybe_save_checkpoint
_received: List[int] = []


class Stopped(SystemExit, SigTermReceived):
    """The end of the process, with status 128 + n; AllenNLP archives the best weights before."""


def stop_behind_a_checkpoint() -> None:
    """
    Lets a training that gets SIGTERM or SIGINT write a checkpoint after the batch that it is at, and end
    with status 128 + n. AllenNLP loses what was trained since the last checkpoint. A second signal ends
    the process at once. With `distributed` and without a checkpointer, all is as AllenNLP has it.
    """
    replace(GradientDescentTrainer, "train", _train_and_listen)
    replace(Checkpointer, "maybe_save_checkpoint", _save_and_stop)


def _train_and_listen(self: GradientDescentTrainer) -> Dict[str, Any]:
    is_main = threading.current_thread() is threading.main_thread()
    if self._distributed or self._checkpointer is None or not is_main:
        return _train(self)
    with _listening():
        return _train(self)


@contextmanager
def _listening() -> Iterator[None]:
    numbers = (signal.SIGTERM, signal.SIGINT)
    before = {number: signal.getsignal(number) for number in numbers}

    def receive(number: int, frame: Optional[FrameType]) -> None:
        if _received:
            raise Stopped(128 + number)
        _received.append(number)

    for number in numbers:
        signal.signal(number, receive)
    try:
        yield
    finally:
        _received.clear()
        for number, handler in before.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)


def _save_and_stop(
    self: Checkpointer, trainer: Any, num_epochs_completed: int, num_batches_in_epoch_completed: int
) -> bool:
    saved = _maybe_save(self, trainer, num_epochs_completed, num_batches_in_epoch_completed)
    if _received:
        if not saved:
            self.save_checkpoint(trainer)
        raise Stopped(128 + _received[0])
    return saved
