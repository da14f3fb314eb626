"""
Write the archive and the results of `evaluate` atomically. AllenNLP writes them in place: on a full
disk, it leaves a partial file and the previous one is lost.
"""

import os
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Dict, List, Optional, Union

from allennlp.data import DataLoader
from allennlp.evaluation.evaluator import SimpleEvaluator
from allennlp.models import Model, archival

from slstm_allennlp.common.atomic_write import AS_IT_WAS, atomic_write
from slstm_allennlp.common.changes import Original, replaces

_Path = Union[str, "os.PathLike[str]"]


@replaces(archival, "archive_model", wherever_imported=True)
def _archive_atomically(
    original: Original,
    serialization_dir: _Path,
    weights: str = archival._DEFAULT_WEIGHTS,
    archive_path: Optional[_Path] = None,
    include_in_archive: Optional[List[str]] = None,
) -> str:
    path = Path(serialization_dir if archive_path is None else archive_path)
    if archive_path is None or path.is_dir():
        path = path / "model.tar.gz"
    left = f"{AS_IT_WAS}, and `allennlp train` with --recover writes the archive again"
    with atomic_write(path, left) as unfinished:
        original(serialization_dir, weights, unfinished, include_in_archive)
    return str(path)


@replaces(SimpleEvaluator, "__call__")
def _evaluate_atomically(
    original: Original,
    self: SimpleEvaluator,
    model: Model,
    data_loader: DataLoader,
    batch_weight_key: Optional[str] = None,
    metrics_output_file: Optional[_Path] = None,
    predictions_output_file: Optional[_Path] = None,
) -> Dict[str, Any]:
    with ExitStack() as stack:
        files = [
            None if path is None else stack.enter_context(atomic_write(path))
            for path in (metrics_output_file, predictions_output_file)
        ]
        return original(self, model, data_loader, batch_weight_key, *files)
