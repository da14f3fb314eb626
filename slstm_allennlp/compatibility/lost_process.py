"""
Has a distributed training say which of its processes was ended by a signal, and how to go on. PyTorch
ends the others, and says that one has terminated.
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
        pid: Any = getattr(error, "error_pid", None) or getattr(error, "pid", 0)  # in PyTorch 1
        raise ProcessExitedException(
            f"process {error.error_index} of the distributed training was ended by {error.signal_name} "
            "(SIGKILL is what a system without memory sends), and so were the others; `allennlp train` "
            "with --recover goes on from the last checkpoint",
            error.error_index,
            pid,
            error.exit_code,
            error.signal_name,
        ) from None


# All that AllenNLP's training has of torch.multiprocessing.
replace(train, "mp", SimpleNamespace(spawn=_spawn))
