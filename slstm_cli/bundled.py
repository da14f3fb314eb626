"""The configs that come with the package, and the sample corpora that they use."""

import difflib
import json
from itertools import takewhile
from pathlib import Path
from typing import Any, Dict, List

_ROOT = Path(__file__).resolve().parents[1]
_SAMPLES = "fixtures/"
WHOLE = "// To see this config whole: slstm config {}"
"""The first line of a config that imports others."""
_DATA = (".csv", ".tsv", ".txt", ".jsonl", ".conll", ".conllu", ".gz", ".xlsx")
_KEY_ORDER = """
    type dataset_reader validation_dataset_reader train_data_path validation_data_path test_data_path
    evaluate_on_test vocabulary model data_loader trainer
    text_field_embedder source_text_embedder seq2seq_encoder seq2vec_encoder encoder
""".split()
"""The keys that come first in a config. Jsonnet sorts keys alphabetically."""


def config_names() -> List[str]:
    return sorted(path.stem for path in (_root() / "training_config").glob("*.jsonnet"))


def description(name: str) -> str:
    """Return the comment at the start of the config's file, without the line on how to see it whole."""
    lines = _file(name).read_text(encoding="utf-8").splitlines()
    comment = takewhile(lambda line: line.startswith("//"), lines)
    return " ".join(line[2:].strip() for line in comment if line != WHOLE.format(name))


def whole_config(name: str) -> Dict[str, Any]:
    """Return the config without imports, with absolute paths to the sample corpora."""
    import _jsonnet  # a dependency of AllenNLP

    return _with_samples(json.loads(_jsonnet.evaluate_file(str(_file(name)))))


def config_path(given: str, folder: Path) -> str:
    """
    Return the path of the config file that a command line names: `given` itself, or a file that this
    function writes to `folder` for the bundled config of that name. Errors as in `is_bundled`.
    """
    if not is_bundled(given):
        return given
    path = folder / f"{given}.json"
    path.write_text(json.dumps(whole_config(given)), encoding="utf-8")
    return str(path)


def is_bundled(given: str) -> bool:
    """
    Return whether a command line names a bundled config, not a file. `FileNotFoundError` for a name that
    is neither. `IsADirectoryError` for another folder, where Jsonnet would end the process.
    """
    if Path(given).is_dir() and given not in config_names():
        raise IsADirectoryError(f"{given} is a folder, expected a config, such as {given}/config.json")
    if given.endswith(_DATA) and Path(given).exists():
        raise FileNotFoundError(
            f"{given} is no config, expected one (own data: slstm train CONFIG --data)"
        )
    is_name = Path(given).name == given and "." not in given
    if not is_name or Path(given).is_file():
        return False
    expect_config(given, f"there is no file {given} and no config of that name")
    return True


def is_sample(path: str) -> bool:
    """Return whether a path is in the sample corpora that come with the package."""
    return (_root() / _SAMPLES).resolve() in Path(path).resolve().parents


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
