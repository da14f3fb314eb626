"""What takes long and gives the same every time is done once in a process, while tests run in it."""

import contextlib
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
    """What follows, where AllenNLP is installed. Mistakes are still found by AllenNLP and by Jsonnet."""
    try:
        import spacy
        from allennlp.common import params, util
    except ModuleNotFoundError:
        return
    spacy.blank = functools.lru_cache(maxsize=None)(spacy.blank)  # a tenth of a second for each reader
    _replace(util.import_module_and_submodules, _import_once)
    # Jsonnet reads its standard library for each config anew, which takes longer than the config.
    _replace(params.parse_overrides, _parse_overrides)
    read = params.Params.from_file
    params.Params.from_file = functools.wraps(read)(functools.partial(_read, read, params))


def _replace(function, change):
    """In all modules that have it."""
    other = functools.wraps(function)(functools.partial(change, function))
    for module in list(sys.modules.values()):
        for name, value in list(getattr(module, "__dict__", {}).items()):
            if value is function:
                setattr(module, name, other)


def _import_once(walk, package_name, exclude=None):
    """Each command walks through the 500 modules of AllenNLP's packages, in vain but for the first."""
    if package_name not in _imported:
        walk(package_name, exclude)
        if package_name in ("allennlp", "allennlp_models"):
            _imported.add(package_name)


def _parse_overrides(parse, text, ext_vars=None):
    plain = plain_json(text)
    return parse(text, ext_vars) if plain is None else json.loads(plain)


def _read(read, params, path, *arguments, **options):
    text = _text(str(path))
    known = contextlib.nullcontext()
    if text is not None:
        known = mock.patch.object(params, "evaluate_file", lambda *_, **__: text)
    with known:
        return read(path, *arguments, **options)


def _text(path):
    """Of a file, what Jsonnet makes of it, where that is known."""
    if not os.path.isfile(path):
        return None
    if os.path.dirname(os.path.realpath(path)) == str(CONFIGS):
        return _bundled(os.path.realpath(path))
    return plain_json(pathlib.Path(path).read_bytes().decode(errors="replace"))


@functools.cache
def _bundled(path):
    """No bundled config looks at the environment."""
    import _jsonnet

    return _jsonnet.evaluate_file(path)


def plain_json(text):
    """What Jsonnet makes of a text that is JSON: its keys are sorted, and 1.0 is 1. None for others."""

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
