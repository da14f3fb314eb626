"""
Report which process of a distributed training was ended by a signal, and how to resume. PyTorch stops
the others and reports only that one has terminated.
"""

import functools
from types import SimpleNamespace
from typing import Any

import torch.multiprocessing
from allennlp.commands import train
from torch.multiprocessing.spawn import ProcessExitedException

from slstm_allennlp.common.changes import replace


@functools.wraps(torch.multiprocessing.spawn)
def _spawn(*arguments: Any, **options: Any) -> Any:
    try:
        return torch.multiprocessing.spawn(*arguments, **options)
    except ProcessExitedException as error:
        if error.signal_name is None:
            raise
        pid: Any = getattr(error, "error_pid", None) or getattr(error, "pid", 0)  # `pid` in PyTorch 1
        raise ProcessExitedException(
            f"process {error.error_index} of the distributed training was ended by {error.signal_name} "
            "(the system sends SIGKILL when memory runs out), and the other processes were stopped; "
            "`allennlp train` with --recover resumes from the last checkpoint",
            error.error_index,
            pid,
            error.exit_code,
            error.signal_name,
        ) from None


# `allennlp train` uses only `spawn` of torch.multiprocessing.
replace(train, "mp", SimpleNamespace(spawn=_spawn))
