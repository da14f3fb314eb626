"""
`slstm train`: `allennlp train` with a default for the output folder, which is locked during the
training, and with errors before the work for a GPU that is not there and for what AllenNLP cannot do.
"""

import argparse
import json
import logging
from pathlib import Path
from typing import Any, Dict, Union

from allennlp.commands import train as allennlp_train
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.common.params import parse_overrides
from allennlp.common.util import SigTermReceived
from allennlp.models import archival
from allennlp.models.archival import CONFIG_NAME

from slstm_allennlp.common.atomic_write import AS_IT_WAS, atomic_write
from slstm_allennlp.common.training_keys import DATA_KEYS, differences, section
from slstm_allennlp.console.missing import expect_device
from slstm_allennlp.console.output_folder import output_folder
from slstm_allennlp.console.training import result_lines
from slstm_allennlp.dataset_readers.lines import ending
from slstm_allennlp.dataset_readers.parts import file_of
from slstm_allennlp.training.own_data import with_data
from slstm_allennlp.training.train_model import NO_DISTRIBUTED_TEST, START_AGAIN, changed_data
from slstm_cli.bundled import is_sample

logger = logging.getLogger(__name__)

_OWN_DATA = {
    "--data": "train on this file: CSV, TSV or JSON lines with a text and its label per line, or a word "
    "and its tag per line; a tenth of it is dev and a tenth is test, without --dev and --test",
    "--dev": "the data that choose the best epoch",
    "--test": "the data that the best epoch is evaluated on",
    "--text": "the name of the column of the text (for pairs, give this option twice), or the number of "
    "that of the words",
    "--label": "the name of the column of the label, or the number of that of the tags (upos or xpos in "
    "CoNLL-U)",
}


def extend(parser: argparse.ArgumentParser) -> None:
    for action in parser._actions:
        if action.dest == "serialization_dir":
            action.required = False
            action.help = f"{action.help}; default: output/NAME, with the name of the config"
        if action.dest == "param_path":
            action.help = "the config: a file, or a name that `slstm config` lists"
    parser.description = (
        "Train a config on its data, or on your own: slstm train reviews_slstm --data reviews.csv"
    )
    add_own_data(parser)


def add_own_data(parser: argparse.ArgumentParser) -> None:
    """Add the options that `own_data_options` reads."""
    own = parser.add_argument_group("your own data", "for configs of texts, pairs, tags or entities")
    for option, text in _OWN_DATA.items():
        kind = "FILE" if option in ("--data", "--dev", "--test") else "COLUMN"
        own.add_argument(option, metavar=kind, help=text, action="append", default=[])


def own_data_options(arguments: argparse.Namespace) -> Dict[str, Any]:
    """Return arguments of `with_data`; `data` is None if the command line gives none."""
    options: Dict[str, Any] = {"text": arguments.text}
    for key in ("data", "dev", "test", "label"):
        options[key], *others = getattr(arguments, key) or [None]
        if others:
            raise ConfigurationError(f"--{key} is given {1 + len(others)} times, expected once")
    for key, value in options.items():
        if value and options["data"] is None:
            raise ConfigurationError(f"--{key} is given without --data, expected both")
    return options


def train(arguments: argparse.Namespace) -> None:
    """
    Train as the command line says, and print the best epoch and where the model is. `KeyboardInterrupt`
    has how to go on, if there is a checkpoint.
    """
    folder = Path(arguments.serialization_dir or Path("output") / Path(arguments.param_path).stem)
    params = _params(arguments)
    _check(params.as_dict(quiet=True))
    for key in DATA_KEYS if arguments.force else ():
        if folder.resolve() in Path(file_of(str(params.get(key)))).resolve().parents:
            raise ConfigurationError(f"--force would delete {params.get(key)}, expected another folder")
    with output_folder(folder, arguments.recover, arguments.force):
        if arguments.recover:
            _expect_config_of(folder, params)
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
        except (KeyboardInterrupt, SigTermReceived) as stop:
            if not any(folder.glob("model_state_*.th")):
                raise
            instead = " in the place of --force" if arguments.force else ""
            best = folder / "model.tar.gz"
            so_far = f"; the best epoch so far: {best}" if best.exists() else ""
            raise KeyboardInterrupt(
                f"the same command with --recover{instead} goes on{so_far}"
            ) from stop
    if not arguments.verbose and not arguments.dry_run:
        print(*result_lines(folder), sep="\n")


def _expect_config_of(folder: Path, params: Params) -> None:
    """Raise `ConfigurationError` unless the config is that of the training in the folder."""
    configs = (params, Params.from_file(str(folder / CONFIG_NAME)))
    changed = differences(*(each.as_dict(quiet=True) for each in configs))
    if any(key.endswith(".split_checksum") for key in changed):
        raise changed_data(file_of(str(params.get("train_data_path"))))
    shown = [f"{key} is {now}, and was {was}" for key, (now, was) in sorted(changed.items())]
    if shown:
        more = f"; {len(shown) - 3} more keys are different" if len(shown) > 3 else ""
        raise ConfigurationError(
            f"--recover: {'; '.join(shown[:3])}{more}, expected the first command with --recover "
            f"{START_AGAIN}"
        )


def _params(arguments: argparse.Namespace) -> Params:
    """Return the config with the overrides and with the user's own data."""
    options = own_data_options(arguments)
    overrides = parse_overrides(arguments.overrides)
    config = Params.from_file(arguments.param_path).params
    if not isinstance(config, dict):
        raise ConfigurationError(f"{arguments.param_path}: it is no object, expected a config")
    _warn_of_replaced(config, overrides)
    if options["data"] is None:
        if not _are_own_data(config, overrides):
            return Params.from_file(arguments.param_path, arguments.overrides)
        options.update(zip(("data", "dev", "test"), (overrides.pop(key, None) for key in DATA_KEYS)))
    return Params(with_data(config, **options, overrides=overrides))


def _warn_of_replaced(config: Dict[str, Any], overrides: Dict[str, Any]) -> None:
    """Log a warning for an object in the overrides that takes keys away from a part of the config."""
    for path, value in overrides.items():
        part: Any = config
        for key in path.split("."):
            part = part.get(key) if isinstance(part, dict) else None
        lost = [*part] if isinstance(part, dict) and isinstance(value, dict) else []
        lost = [key for key in lost if key not in value]
        if lost and value and "type" not in value:
            logger.warning(
                "--overrides: the object %s replaces all of it, also %s; %r changes one key alone",
                path,
                ", ".join(lost),
                f"{path}.{next(iter(value))}",
            )


def _are_own_data(config: Any, overrides: Dict[str, Any]) -> bool:
    """Return whether overrides give a file, but no reader for it, where the config's reads none such."""
    path = overrides.get("train_data_path")
    if not isinstance(path, str) or {"dataset_reader", "dataset_reader.type"} & set(overrides):
        return False
    reads_folders = "#" in str(config.get("train_data_path"))
    dev = overrides.get("validation_data_path") or config.get("validation_data_path")
    replaces_samples = is_sample(str(dev)) and not is_sample(path)
    is_table = '"table"' in json.dumps(config.get("dataset_reader"))
    is_unread = ending(path) == ".csv" and not is_table
    return Path(path).is_file() and (reads_folders or is_unread or replaces_samples)


def _check(config: Any) -> None:
    """Refuse what would fail only after work, or not at all."""
    if all(config.get(key) for key in ("distributed", "evaluate_on_test", "test_data_path")):
        raise ConfigurationError(NO_DISTRIBUTED_TEST)
    for key in ("data_loader", "validation_data_loader"):
        size = section(section(config, key), "batch_sampler").get("batch_size", 1)
        if isinstance(size, int) and size < 1:
            raise ConfigurationError(f"{key}.batch_sampler.batch_size is {size}, expected 1 or more")
    if section(config, "model").get("type") == "from_archive":
        path = section(config, "model").get("archive_file")
        logger.warning("the model's archive will need %s in its place whenever it is opened", path)
    expect_device("trainer.cuda_device", section(config, "trainer").get("cuda_device"))
    for number in (config.get("distributed") or {}).get("cuda_devices") or []:
        expect_device("distributed.cuda_devices", number)


def archive_model(folder: Union[str, Path], **options: Any) -> None:
    """
    Archive a trained model atomically. On a full disk, AllenNLP leaves a part of the archive, and the
    previous one is lost.
    """
    left = f"{AS_IT_WAS}, and `slstm train` with --recover writes the archive again"
    with atomic_write(Path(folder) / "model.tar.gz", left) as unfinished:
        archival.archive_model(folder, archive_path=unfinished, **options)
