"""
On SIGTERM or SIGINT, write a checkpoint after the current batch and exit with status 128 + n, where n is
the signal's number. AllenNLP loses all training since the last checkpoint. A second signal ends the
process at once. With `distributed`, or without a checkpointer, AllenNLP's behaviour is unchanged.
"""

import signal
import threading
from contextlib import contextmanager
from types import FrameType
from typing import Any, Dict, Iterator, List, Optional

from allennlp.common.util import SigTermReceived
from allennlp.training import Checkpointer, GradientDescentTrainer

from slstm_allennlp.common.changes import Original, replaces

_received: List[int] = []


class Stopped(SystemExit, SigTermReceived):
    """Exit with status 128 + n. AllenNLP first archives the best weights, as for `SigTermReceived`."""


@replaces(GradientDescentTrainer, "train")
def _train_and_listen(original: Original, self: GradientDescentTrainer) -> Dict[str, Any]:
    is_main = threading.current_thread() is threading.main_thread()
    if self._distributed or self._checkpointer is None or not is_main:
        return original(self)
    with _listening():
        return original(self)


@contextmanager
def _listening() -> Iterator[None]:
    def receive(number: int, frame: Optional[FrameType]) -> None:
        if _received:
            raise Stopped(128 + number)
        _received.append(number)

    before = {number: signal.signal(number, receive) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        _received.clear()
        for number, handler in before.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)


@replaces(Checkpointer, "maybe_save_checkpoint")
def _save_and_stop(
    original: Original, self: Checkpointer, trainer: Any, *completed: int, **named: int
) -> bool:
    saved = original(self, trainer, *completed, **named)
    if _received:
        if not saved:
            self.save_checkpoint(trainer)
        raise Stopped(128 + _received[0])
    return saved
