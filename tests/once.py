"""Speed up the tests: do slow, deterministic work of AllenNLP once per process."""

import functools
import json
import math
import os
import pathlib
import sys
from unittest import mock

CONFIGS = pathlib.Path(__file__).parent.parent / "training_config"
_imported = set()


def do_once():
    """Patch AllenNLP, if it is installed. AllenNLP and Jsonnet still find the errors in configs."""
    try:
        import spacy
        from allennlp.common import params, util
    except ModuleNotFoundError:
        return
    spacy.blank = functools.lru_cache(maxsize=None)(spacy.blank)  # 0.1 s for each reader
    _wrap(util.import_module_and_submodules, _import_once)
    # Jsonnet parses its standard library for each config, which takes longer than the config itself.
    _wrap(params.parse_overrides, _parse_overrides)
    original = params.Params.from_file
    params.Params.from_file = functools.wraps(original)(functools.partial(_from_file, original, params))


def _wrap(function, wrapper):
    """Replace a function in all modules that have it."""
    wrapped = functools.wraps(function)(functools.partial(wrapper, function))
    for module in list(sys.modules.values()):
        for name, value in list(getattr(module, "__dict__", {}).items()):
            if value is function:
                setattr(module, name, wrapped)


def _import_once(import_all, package_name, exclude=None):
    """Import the 500 modules of AllenNLP's packages for the first command only."""
    if package_name not in _imported:
        import_all(package_name, exclude)
        if package_name in ("allennlp", "allennlp_models"):
            _imported.add(package_name)


def _parse_overrides(parse, text, ext_vars=None):
    plain = plain_json(text)
    return parse(text, ext_vars) if plain is None else json.loads(plain)


def _from_file(original, params, path, *arguments, **options):
    text = _evaluated(str(path))
    if text is None:
        return original(path, *arguments, **options)
    with mock.patch.object(params, "evaluate_file", lambda *_, **__: text):
        return original(path, *arguments, **options)


def _evaluated(path):
    """Return Jsonnet's output for a bundled config or for plain JSON, and None for another file."""
    if not os.path.isfile(path):
        return None
    if os.path.dirname(os.path.realpath(path)) == str(CONFIGS):
        return _bundled(os.path.realpath(path))
    return plain_json(pathlib.Path(path).read_bytes().decode(errors="replace"))


@functools.cache
def _bundled(path):
    """Evaluate a bundled config. None of them depends on the environment."""
    import _jsonnet

    return _jsonnet.evaluate_file(path)


def plain_json(text):
    """Return Jsonnet's output for plain JSON (sorted keys, 1.0 as 1), and None for another text."""

    def number(digits):
        value = float(digits)
        if not math.isfinite(value):
            raise ValueError(digits)
        return int(value) if value.is_integer() else value

    def unique(pairs):
        if len(dict(pairs)) < len(pairs):
            raise ValueError(pairs)
        return dict(pairs)

    if "\\u" in text or "\ufffd" in text:
        return None
    try:
        value = json.loads(
            text, parse_int=number, parse_float=number, parse_constant=number, object_pairs_hook=unique
        )
    except ValueError:
        return None
    return json.dumps(value, sort_keys=True, ensure_ascii=False)
