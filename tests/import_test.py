"""Importing the package leaves AllenNLP, its dependencies and the process as they are."""

import json
import sys

from tests.conftest import ROOT, run_program

LOADER = "allennlp.data.data_loaders.multiprocess_data_loader.MultiProcessDataLoader"
WORKERS = {f"{LOADER}._start_batch_workers", f"{LOADER}._start_instance_workers"}
# Runs in a new process. The list of what differs does not come from the package.
SCRIPT = """
import json, logging, os, signal, sys, types, warnings
from importlib import import_module
from allennlp.common.util import import_module_and_submodules

PACKAGES = ("allennlp", "allennlp_models", "cached_path", "transformers", "torch.serialization")

def is_of(name):
    return any(name == package or name.startswith(package + ".") for package in PACKAGES)

def attributes():
    found = {}
    for name, module in list(sys.modules.items()):
        if not is_of(name) or not isinstance(module, types.ModuleType):
            continue
        for key, value in list(vars(module).items()):
            if key.startswith("__"):
                continue
            found[name + "." + key] = value
            if isinstance(value, type) and is_of(value.__module__):
                for own, member in list(vars(value).items()):
                    if not own.startswith("__") or callable(member):
                        found[f"{value.__module__}.{value.__qualname__}.{own}"] = member
    return found

def process():
    handlers = {str(number): str(signal.getsignal(number)) for number in signal.valid_signals()}
    names = ("", "allennlp", "allennlp.common.registrable", "transformers")
    loggers = {name: logging.getLogger(name).level for name in names}
    import torch
    get_safe = getattr(torch.serialization, "get_safe_globals", list)  # not in PyTorch 1
    safe = sorted(map(str, get_safe()))
    return {"environment": dict(os.environ), "filters": list(map(str, warnings.filters)),
            "handlers": handlers, "loggers": loggers, "safe globals": safe, "hook": str(sys.excepthook),
            "threads": torch.get_num_threads()}

import allennlp.commands, transformers
import_module_and_submodules("allennlp_models")
for name in json.loads(sys.argv[1]):
    import_module(name)
loaded = set(sys.modules)
before, state = attributes(), process()
import_module_and_submodules("slstm_allennlp")
after = attributes()
changed = [name for name, value in before.items() if after.get(name, None) is not value]
same = process()
differs = [key for key in state if state[key] != same[key]]
new = sorted(name for name in set(sys.modules) - loaded if is_of(name))
print(json.dumps({"changed": changed, "process": differs, "new": new}))
"""


def compared(*loaded_before):
    """Return what the import changes, and which modules of the others it is the first to load."""
    ran = run_program([sys.executable, "-c", SCRIPT, json.dumps(loaded_before)], cwd=ROOT)
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout.splitlines()[-1])


def test_an_import_changes_nothing_but_three_functions():
    # Load what the package is the first to load, so that it is compared, too.
    found = compared(*compared()["new"])
    assert found["new"] == []
    assert set(found["changed"]) == {"allennlp.common.cached_transformers.get_tokenizer", *WORKERS}
    assert found["process"] == []


def test_not_on_windows():
    """One sentence in the place of a traceback from a module of Unix."""
    script = "import os; os.name = 'nt'; import slstm_allennlp"
    error = run_program([sys.executable, "-c", script], cwd=ROOT).stderr
    assert "ImportError: slstm_allennlp with AllenNLP does not run on Windows, expected Linux" in error
