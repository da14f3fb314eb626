"""
Open untrusted archives and configs without running their code. SECURITY.md says what is promised and
what is not.
"""

from importlib import import_module
from types import SimpleNamespace

import torch
import transformers.dynamic_module_utils
from allennlp.common import file_utils
from allennlp.common import util as common_util
from allennlp.common.registrable import Registrable
from allennlp.models import archival

from slstm_allennlp.common.changes import replace
from slstm_allennlp.security import archives, class_names, opening, tensor_cache, weights


def open_archives_safely() -> None:
    """Replace the functions that AllenNLP calls by functions with checks. Called once, on import."""
    weights.allow_numpy_scalars()
    replace(torch, "load", weights.load)
    replace(file_utils.TensorCache, "__getitem__", tensor_cache.get_tensor)
    replace(Registrable, "resolve_class_name", classmethod(class_names.resolve_class_name))

    replace(archival, "extracted_archive", archives.extracted_archive)
    # `load_archive` uses only `Params.from_file`, to read the config.
    replace(archival, "Params", SimpleNamespace(from_file=opening.read_config))
    for build in ("_load_dataset_readers", "_load_model"):
        replace(archival, build, opening.in_opening(getattr(archival, build)))

    # While these two run, downloads and foreign code are blocked in the functions that all calls share.
    fetching = import_module("cached_path._cached_path")
    address = "a file, or an address that you downloaded yourself"
    replace(fetching, "get_from_cache", opening.refusing(fetching.get_from_cache, "fetch {0}", address))
    folder = "a folder, such as AllenNLP writes it"
    replace(fetching, "ZipFile", opening.refusing(fetching.ZipFile, "unpack {0}", folder))
    replace(fetching, "check_tarfile", opening.checking_tarfile(fetching.check_tarfile))
    replace(
        common_util,
        "spacy",
        SimpleNamespace(load=opening.load_spacy, tokens=common_util.spacy.tokens),
    )
    code = transformers.dynamic_module_utils
    importing = opening.refusing(
        code.get_class_in_module,
        "run the class {0} that comes with a transformer",
        "one of transformers",
    )
    replace(code, "get_class_in_module", importing)


open_archives_safely()
