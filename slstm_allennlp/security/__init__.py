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

from slstm_allennlp.common.changes import replace, replaces
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
        replace(archival, build, opening.opening()(getattr(archival, build)))

    # While these two run, downloads and foreign code are blocked in the functions that all calls share.
    fetching = import_module("cached_path._cached_path")
    address = "a file, or an address that you downloaded yourself"
    replaces(fetching, "get_from_cache")(opening.refusing("fetch {0}", address))
    folder = "a folder, such as AllenNLP writes it"
    replaces(fetching, "ZipFile")(opening.refusing("unpack {0}", folder))
    replaces(fetching, "check_tarfile")(opening.check_tarfile)
    spacy = SimpleNamespace(load=opening.load_spacy, tokens=common_util.spacy.tokens)
    replace(common_util, "spacy", spacy)
    what = "run the class {0} that comes with a transformer"
    refusing = opening.refusing(what, "one of transformers")
    replaces(transformers.dynamic_module_utils, "get_class_in_module")(refusing)


open_archives_safely()
