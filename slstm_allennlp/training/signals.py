import signal
import threading
from contextlib import contextmanager
from types import FrameType
from typing import Iterator, List, Optional

from allennlp.common.util import SigTermReceived


class Stopped(SystemExit, SigTermReceived):
    """Exit with status 128 + n. AllenNLP first archives the best weights, as for `SigTermReceived`."""

    code: int


@contextmanager
def received_signals() -> Iterator[List[int]]:
    """
    Yield a list to which SIGTERM and SIGINT are added instead of ending the process. A second signal
    raises `Stopped` at once. Only Python's main thread can receive signals.
    """
    received: List[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield received
        return

    def receive(number: int, frame: Optional[FrameType]) -> None:
        if received:
            raise Stopped(128 + number)
        received.append(number)

    before = {number: signal.signal(number, receive) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield received
    finally:
        received.clear()
        for number, handler in before.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)
