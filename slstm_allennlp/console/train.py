"""`slstm train`."""

import argparse
from pathlib import Path
from typing import Any

from allennlp.commands import train as allennlp_train
from allennlp.commands.train import Train
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.common.util import SigTermReceived
from allennlp.models import archival

from slstm_allennlp.common.atomic_write import AS_IT_WAS, atomic_write
from slstm_allennlp.console.missing import expect_device
from slstm_allennlp.console.output_folder import output_folder
from slstm_allennlp.console.training import result_lines
from slstm_allennlp.training.train_model import NO_DISTRIBUTED_TEST


class SlstmTrain(Train):
    """
    `allennlp train` with a default for the output folder, which is locked during the training, and with
    errors before the work for a GPU that is not there and for what AllenNLP cannot do.
    """

    def add_subparser(self, parser: argparse._SubParsersAction) -> argparse.ArgumentParser:
        subparser = super().add_subparser(parser)
        for action in subparser._actions:
            if action.dest == "serialization_dir":
                action.required = False
                action.help = f"{action.help}; default: output/NAME, with the name of the config"
            if action.dest == "param_path":
                action.help = f"{action.help}; a file, or a name that `slstm config` lists"
        subparser.set_defaults(func=train)
        return subparser


def train(arguments: argparse.Namespace) -> None:
    """
    Train as the command line says, and print the best epoch and where the model is. `KeyboardInterrupt`
    has how to go on, if there is a checkpoint.
    """
    folder = Path(arguments.serialization_dir or Path("output") / Path(arguments.param_path).stem)
    params = Params.from_file(arguments.param_path, arguments.overrides)
    _check(params.as_dict(quiet=True))
    with output_folder(folder, arguments.recover, arguments.force):
        try:
            allennlp_train.train_model(
                params,
                str(folder),
                recover=arguments.recover,
                node_rank=arguments.node_rank,
                include_package=arguments.include_package,
                dry_run=arguments.dry_run,
                file_friendly_logging=arguments.file_friendly_logging,
            )
        except (KeyboardInterrupt, SigTermReceived):
            if not any(folder.glob("model_state_*.th")):
                raise
            instead = " in the place of --force" if arguments.force else ""
            raise KeyboardInterrupt(f"the same command with --recover{instead} goes on") from None
    if not arguments.verbose and not arguments.dry_run:
        print(*result_lines(folder), sep="\n")


def _check(config: Any) -> None:
    """Refuse what would fail only after work, or not at all."""
    if all(config.get(key) for key in ("distributed", "evaluate_on_test", "test_data_path")):
        raise ConfigurationError(NO_DISTRIBUTED_TEST)
    trainer = config.get("trainer") or {}
    expect_device("trainer.cuda_device", trainer.get("cuda_device"))
    for number in (config.get("distributed") or {}).get("cuda_devices") or []:
        expect_device("distributed.cuda_devices", number)


def archive_model(folder: str, **options: Any) -> None:
    """
    Archive a trained model atomically. On a full disk, AllenNLP leaves a part of the archive, and the
    previous one is lost.
    """
    left = f"{AS_IT_WAS}, and `slstm train` with --recover writes the archive again"
    with atomic_write(Path(folder) / "model.tar.gz", left) as unfinished:
        archival.archive_model(folder, archive_path=unfinished, **options)
