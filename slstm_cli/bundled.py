"""The configs that come with the package, and the sample corpora that they use."""

import difflib
import json
from itertools import takewhile
from pathlib import Path
from typing import Any, Dict, List

_ROOT = Path(__file__).resolve().parents[1]
_SAMPLES = "fixtures/"
_KEY_ORDER = """
    type dataset_reader validation_dataset_reader train_data_path validation_data_path test_data_path
    evaluate_on_test vocabulary model data_loader trainer
    text_field_embedder source_text_embedder seq2seq_encoder seq2vec_encoder encoder
""".split()
"""The keys that come first in a config. Jsonnet sorts keys alphabetically."""


def config_names() -> List[str]:
    """Return the names of all configs, sorted alphabetically."""
    return sorted(path.stem for path in (_root() / "training_config").glob("*.jsonnet"))


def description(name: str) -> str:
    """Return the comment at the start of the config's file."""
    lines = _file(name).read_text(encoding="utf-8").splitlines()
    comment = takewhile(lambda line: line.startswith("//"), lines)
    return " ".join(line[2:].strip() for line in comment)


def whole_config(name: str) -> Dict[str, Any]:
    """Return the config without imports, with absolute paths to the sample corpora."""
    import _jsonnet  # a dependency of AllenNLP

    return _with_samples(json.loads(_jsonnet.evaluate_file(str(_file(name)))))


def is_sample(path: Any) -> bool:
    """Return whether a path is that of a sample corpus."""
    return isinstance(path, str) and path.startswith(str(_root() / _SAMPLES))


def config_path(given: str, folder: Path) -> str:
    """
    Return the path of the config file that a command line names: `given` itself, or, if there is no such
    file, a file that this function writes to `folder` for the bundled config of that name.

    # Errors

    `FileNotFoundError` for a name that is neither. `IsADirectoryError` for a folder, where Jsonnet would
    end the process.
    """
    if Path(given).is_dir():
        raise IsADirectoryError(f"{given} is a folder, expected a config, such as {given}/config.json")
    is_name = Path(given).name == given and "." not in given
    if not is_name or Path(given).exists():
        return given
    expect_config(given, f"there is no file {given} and no config of that name")
    path = folder / f"{given}.json"
    path.write_text(json.dumps(whole_config(given)), encoding="utf-8")
    return str(path)


def expect_config(name: str, complaint: str) -> None:
    """Raise `FileNotFoundError` with the complaint unless there is a bundled config of this name."""
    names = config_names()
    if name not in names:
        near = difflib.get_close_matches(name, names, n=1)
        meant = f", did you mean {near[0]!r}?" if near else ","
        raise FileNotFoundError(f"{complaint}{meant} `slstm config` lists them")


def _root() -> Path:
    """Return the parent of training_config/ and fixtures/, for an installed wheel or for a clone."""
    installed = _ROOT / "slstm_allennlp" / "bundled_files"
    return installed if installed.is_dir() else _ROOT


def _file(name: str) -> Path:
    return _root() / "training_config" / f"{name}.jsonnet"


def _with_samples(value: Any) -> Any:
    """Sort the keys of a config by `_KEY_ORDER`, and make the paths of sample corpora absolute."""
    if isinstance(value, dict):
        keys = dict.fromkeys([*_KEY_ORDER, *value])
        return {key: _with_samples(value[key]) for key in keys if key in value}
    if isinstance(value, list):
        return [_with_samples(part) for part in value]
    return str(_root() / value) if isinstance(value, str) and value.startswith(_SAMPLES) else value
