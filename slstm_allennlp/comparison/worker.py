"""
Train a run of a comparison as `allennlp train` does, and measure it. The comparison starts one process
per run; to start one by hand, use `python -m slstm_allennlp.comparison.worker CONFIG RUN`. Finished
steps are skipped, and training resumes from its last checkpoint.
"""

import argparse
import logging
import os
import shutil
import sys
from pathlib import Path
from typing import Any, Dict

import torch
from allennlp import __version__ as allennlp_version
from allennlp.commands.train import train_model_from_file
from allennlp.common.checks import ConfigurationError
from allennlp.common.plugins import import_plugins
from allennlp.common.util import import_module_and_submodules

from slstm_allennlp.common.atomic_write import atomic_write
from slstm_allennlp.common.mistakes import MISTAKE, USERS_MISTAKE, users_mistake
from slstm_allennlp.common.training_keys import section
from slstm_allennlp.comparison.evaluation import TrainedRun, device_of, peak_memory
from slstm_allennlp.comparison.folders import RunFolder, read_json, write_json
from slstm_allennlp.console.friendly import friendly_messages
from slstm_allennlp.console.train import archive_model
from slstm_allennlp.predictors.predictions import write_predictions
from slstm_allennlp.security import safe_archives
from slstm_allennlp.security.opening import CAN_CHECK
from slstm_allennlp.version import __version__

logger = logging.getLogger(__name__)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").strip().split("\n\n")[0])
    parser.add_argument("config", type=Path)
    parser.add_argument("run", type=Path)
    parser.add_argument("--include-package", action="append", default=[], dest="packages")
    parser.add_argument("--time-over-length", action="store_true")
    # On the same device. Recorded only, because timings of parallel runs are not comparable.
    parser.add_argument("--runs-at-a-time", type=int, default=1)
    logging.basicConfig(
        level=logging.INFO, format="%(asctime)s - %(levelname)s - %(name)s - %(message)s"
    )
    try:
        # A PyTorch that cannot check weights opens trusted archives alone. This run has written its own.
        with friendly_messages(), safe_archives(trust=not CAN_CHECK):
            do(parser.parse_args())
    except Exception as error:
        mistake = users_mistake(error)
        if mistake is None:
            raise
        logger.error("The run ended with a user error", exc_info=True)
        print(f"{MISTAKE}{mistake}", flush=True)  # `Failure.mistake` reads the log's last line
        sys.exit(USERS_MISTAKE)


def do(work: argparse.Namespace) -> None:
    """Perform the steps of the run that are not finished."""
    import_plugins()
    for package in work.packages:
        import_module_and_submodules(package)
    folder = RunFolder(work.run)
    config = read_json(work.config)
    if not folder.training.exists():
        _train(work, folder, config)
    if folder.is_done(time_over_length=work.time_over_length):
        return
    trained = TrainedRun(str(folder.archive), config)
    if not folder.measurements.exists():
        with atomic_write(folder.predictions) as path:
            write_predictions(path, trained.predict())
        measured = trained.measure()
        if "checkpointer" not in section(config, "trainer"):  # else its settings decide
            # They are several times as large as the model in the archive.
            for checkpoint in folder.path.glob("*_state_e*_b*.th"):
                checkpoint.unlink()
        # Last, because these mark the run as done.
        write_json(folder.measurements, {**measured, "conditions": _conditions(work, config)})
    if work.time_over_length:
        groups = trained.time_over_length()
        write_json(folder.time_over_length, {"groups": groups, "conditions": _conditions(work, config)})


def _conditions(work: argparse.Namespace, config: Dict[str, Any]) -> Dict[str, Any]:
    """Return the conditions of a timing in this process. A run that resumes may have several."""
    device = device_of(config)
    return {
        "device": torch.cuda.get_device_name(device) if device >= 0 else f"CPU ({os.cpu_count()} cores)",
        "threads": torch.get_num_threads(),
        "runs_at_a_time": work.runs_at_a_time,
    }


def _train(work: argparse.Namespace, folder: RunFolder, config: Dict[str, Any]) -> None:
    was_trained = folder.metrics.exists()
    if was_trained:
        # AllenNLP writes the metrics before the archive, which may be missing or incomplete.
        archive_model(folder.path, include_in_archive=config.get("include_in_archive"))
    else:
        train_model_from_file(
            work.config,
            folder.path,
            recover=_prepare(folder),
            file_friendly_logging=True,
            include_package=work.packages,
            return_model=False,
        )
    # An earlier process, or those of `distributed`, took their peak memory with them.
    in_other_processes = was_trained or config.get("distributed") is not None
    memory, kind = peak_memory(device_of(config))
    write_json(
        folder.training,
        {
            "peak_memory_bytes": None if in_other_processes else memory,
            "peak_memory_of": kind,
            **_conditions(work, config),
            "torch": torch.__version__,
            "allennlp": allennlp_version,
            "slstm_allennlp": __version__,
        },
    )


def _prepare(folder: RunFolder) -> bool:
    """Return whether training can resume from a checkpoint. If not, remove the folder."""
    checkpoint = folder.latest_checkpoint()
    try:
        read_json(folder.config)
    except ConfigurationError:  # missing or incomplete
        checkpoint = None
    if checkpoint is None:
        if folder.path.exists():
            if any(folder.path.iterdir()) and not folder.config.exists():
                raise ConfigurationError(
                    f"{folder.path} is not the folder of a run (no config.json in it), expected one: "
                    "all that is in it would be deleted"
                )
            shutil.rmtree(folder.path)
        return False
    logger.info("Resuming after %d epochs and %d batches", checkpoint.epochs, checkpoint.batches)
    for path in folder.epoch_files()[checkpoint.epochs :]:
        path.unlink()  # the epochs after the checkpoint are trained again
    earlier = [recovery._asdict() for recovery in folder.recovered_from()]
    write_json(folder.recoveries, [*earlier, checkpoint._asdict()])
    return True


if __name__ == "__main__":
    main()
