"""Archives that try to run code, to write or read files outside, or to fill the disk, are refused."""

import contextlib
import functools
import json
import operator
import pathlib
import pickle
import re
import shutil
import sys
import tarfile
import time

import allennlp.models
import pytest
import torch
from allennlp.common.checks import ConfigurationError

from slstm_allennlp.security import load_archive, safe_archives
from slstm_allennlp.security.archives import MAX_BYTES
from slstm_allennlp.security.opening import CAN_CHECK
from tests.security.conftest import Forge

# Each of these returns a function that calls this method of a forge.
member, link, header, config, weights, call = (
    functools.partial(operator.methodcaller, name) for name in "member link header put save call".split()
)


def reader(name, **arguments):
    return config("dataset_reader", {"type": name, **arguments})


def fetch(address):
    return config("model", {"type": "from_archive", "archive_file": address})


def text(content):
    return lambda forge: setattr(forge, "config_text", content)


def spacy_model(name):
    return reader("text_classification_json", tokenizer={"type": "spacy", "language": name})


def file_behind_a_link(forge):
    forge.link("notes", forge.folder)
    forge.member("notes/pwned", b"x")


def packed_vocabulary(kind):
    """If the vocabulary is an archive, AllenNLP unpacks it with other code and without a limit."""

    def make(forge):
        path = shutil.make_archive(forge.folder / "packed", kind, forge.folder / "vocabulary")
        forge.member("vocabulary", pathlib.Path(path).read_bytes())

    return make


def archive_within(forge):
    (forge.folder / "inner").mkdir()
    inner = Forge(forge.folder / "inner", forge.patch)
    inner.member("../pwned")
    fetch(str(inner.write()))(forge)


def limited(limit):
    """Set the limit of bytes, and add a large file. context_test.py tries the limits with real files."""

    def make(forge):
        forge.patch.setenv(MAX_BYTES, limit)
        forge.header(tarfile.REGTYPE)

    return make


def overlapping(forge):
    """Add members with the same bytes: a name of sparse files gives a size after their place."""
    forge.patch.setenv(MAX_BYTES, "600000")
    for name in "abc":
        forge.member(name, pax_headers={"GNU.sparse.realsize": "500000"})
    forge.member("zeros", bytes(500_000))


def chained(forge):
    for _ in range(2000):
        forge.member("x", type=tarfile.XHDTYPE)


def module_on_the_path(forge):
    (forge.folder / "stranger_module.py").write_text(f"open({str(forge.pwned)!r}, 'w').close()")
    forge.patch.syspath_prepend(forge.folder)
    forge.patch.delitem(sys.modules, "stranger_module", raising=False)
    reader("stranger_module.Reader")(forge)


TOKENS = "model.text_field_embedder.token_embedders.tokens"
AUTO = {"AutoConfig": "code.Config", "AutoModel": "code.Config"}
OWN_CODE = {"model_type": "strange", "auto_map": AUTO}
TRUST = {"trust_remote_code": True}


def transformer(forge, changes, **options):
    """Embed by a transformer in a folder, which with an `auto_map` asks transformers to run its code."""
    forge.patch.setattr("builtins.input", lambda *_: "y")  # answers transformers' question
    (folder := forge.folder / "bert").mkdir()
    bert = {"model_type": "bert", "hidden_size": 4, "num_attention_heads": 1, "num_hidden_layers": 1}
    (folder / "config.json").write_text(json.dumps({**bert, **changes}))
    (folder / "code.py").write_text(f"open({str(forge.pwned)!r}, 'w').close()\nclass Config: pass")
    (folder / "vocab.txt").write_text("[UNK]\n[CLS]\n[SEP]\n[PAD]\n[MASK]\nthe\n")
    kind = {"type": "pretrained_transformer", "train_parameters": False}
    forge.put(TOKENS, {**kind, "model_name": str(folder), **options})
    return folder


def transformer_with_code(forge):
    transformer(forge, OWN_CODE, transformer_kwargs=TRUST)


def unasked_code(forge):
    transformer(forge, OWN_CODE)


def tokenizer_with_code(forge):
    indexer = {"model_name": str(transformer(forge, OWN_CODE)), "tokenizer_kwargs": TRUST}
    kind = {"type": "pretrained_transformer_mismatched"}
    forge.put("dataset_reader.token_indexers.tokens", {**kind, **indexer})


def transformer_with_pickle(forge):
    folder = transformer(forge, {}, load_weights=True)
    torch.save({"weight": forge.touch()}, folder / "pytorch_model.bin")


def other_weights_for_a_transformer(forge):
    path = forge.folder / "strange.bin"
    torch.save({"weight": forge.touch()}, path)
    transformer(forge, {}, load_weights=True, override_weights_file=str(path))


SPECIAL = "is a device or another special file"
FOLDER = "would unpack .*vocabulary, expected a folder"
SPARSE = {"major": "1", "minor": "0", "name": "notes", "realsize": "9" * 12}
SPARSE = {f"GNU.sparse.{key}": value for key, value in SPARSE.items()}
POPEN = {"type": "subprocess.Popen", "args": ["touch", "{}"]}
IS_POPEN = 'type "subprocess.Popen"'
EVALB = "model.evalb_directory_path"
LEGACY = {"_use_new_zipfile_serialization": False}
ADDRESS = "http://127.0.0.1:9/x"
PART = {"archive_file": ADDRESS, "module_path": "encoder"}
ELMO = {"type": "elmo_token_embedder", "options_file": ADDRESS, "weight_file": ADDRESS}
SCRIPT = torch.jit.script(torch.nn.Linear(1, 1))
NO_WEIGHTS = "it holds|expected tensors"
PLACES = f"""
    dataset_reader validation_dataset_reader dataset_reader.token_indexers.tokens vocabulary
    model model.encoder model.text_field_embedder {TOKENS}
"""
CALLS = [
    *((exec, "open('{}', 'w')"), (eval, "open('{}', 'w')"), (open, "{}", "w")),
    *((getattr, torch.Tensor, "__doc__"), (torch._utils._import_dotted_name, "os.system")),
]
ATTACKS = {
    # Members of the archive, which is unpacked to forge/tmp/RANDOM
    "parent path": ("member '../../pwned' lies outside", member("../../pwned", b"x")),
    "absolute path": ("lies outside", member("{}", b"x")),
    "parent path within": ("/pwned' lies outside", member("vocabulary/../../pwned", b"x")),
    "Windows parent": (r"member '\.\.\\\\pwned' lies outside", member("..\\pwned", b"x")),
    "Windows drive": ("lies outside", member("C:\\pwned", b"x")),
    "parent in a pax header": ("lies outside", member("x", b"x", pax_headers={"path": "../pwned"})),
    "link to the parent": ("is a link to '..'", link("notes", "..")),
    "link within": ("is a link to 'config.json'", link("notes", "config.json")),
    "hard link": ("link to '/etc/hostname'", link("notes", "/etc/hostname", tarfile.LNKTYPE)),
    "link for the weights": ("member 'weights.th' is a link", link("weights.th", "/etc/passwd")),
    "link for the config": ("member 'config.json' is a link", link("config.json", "/etc/passwd")),
    "link for the vocabulary": ("member 'vocabulary' is a link", link("vocabulary", "/etc")),
    "file behind a link": ("is a link to", file_behind_a_link),
    "character device": (SPECIAL, member("x", type=tarfile.CHRTYPE, devmajor=1, devminor=5)),
    "unknown kind": (SPECIAL, member("thing", type=b"Z")),
    "sparse file": (
        "gz: member 'x' is a sparse file, expected files and folders",
        member("x", b"0\n".ljust(512), pax_headers=SPARSE),
    ),
    "old sparse file": ("gz: member 'x' is a sparse file", member("x", type=tarfile.GNUTYPE_SPARSE)),
    "overlapping members": ("more than 600000 bytes unpacked", overlapping),
    "chained headers": ("is damaged", chained),
    "size that is none": ("damaged", member("x", pax_headers={"GNU.sparse.realsize": "x"})),
    "negative size": (r"-400000 bytes\)", member("x", pax_headers={"GNU.sparse.realsize": "-400000"})),
    "time without end": ("is damaged", member("x", pax_headers={"mtime": "1e300"})),
    "long global header": ("a header of 65537 bytes", member("x", bytes(65537), type=tarfile.XGLTYPE)),
    "size in the header alone": ("100000 bytes unpacked.*ARCHIVE_BYTES raises", limited("100000")),
    "large pax header": ("a header of 8589934592 bytes", header(tarfile.XHDTYPE)),
    "large long name": ("a header of 8589934592 bytes", header(tarfile.GNUTYPE_LONGNAME)),
    "limit": ("BYTES is 'much', expected a number", limited("much")),
    "zip for the vocabulary": (FOLDER, packed_vocabulary("zip")),
    "tar for the vocabulary": (FOLDER, packed_vocabulary("tar")),
    "archive within": ("lies outside", archive_within),
    # Types in the config. class_names_test.py has more.
    "copyfile": ('"shutil.copyfile"', reader("shutil.copyfile", src="/etc/hostname", dst="{}")),
    **{f"Popen as {place}": (IS_POPEN, config(place, POPEN)) for place in PLACES.split()},
    "Popen as regularizer": (IS_POPEN, config("model.regularizer", {"regexes": [["x", POPEN]]})),
    "module on the path": ('Reader" is of a module .* not loaded.*--include-p', module_on_the_path),
    "main module": ('__main__.run" is of a module that is not loaded', reader("allennlp.__main__.run")),
    "class of another kind": ("LSTM. is no Seq2SeqEnc", config("model.encoder.type", "torch.nn.LSTM")),
    "type that is a list": ("is no name|not in acceptable choices", reader(["."])),
    # Other values in the config
    "fetch by http": (f"would fetch {ADDRESS}", fetch(ADDRESS)),
    "fetch by https": ("would fetch https://127.0.0.1:9/x", fetch("https://127.0.0.1:9/x")),
    "fetch from S3": ("would fetch s3://stranger/x", fetch("s3://stranger/x")),
    "fetch from Google": ("would fetch gs://stranger/x", fetch("gs://stranger/x")),
    "fetch from Hugging Face": ("would fetch hf://x/y", fetch("hf://x/y")),
    "fetch a part": ("would fetch http", config("model.encoder", {"_pretrained": PART})),
    "fetch ELMo": ("would fetch http", config(TOKENS, ELMO)),
    "spaCy model in a folder": ("would have spaCy load or install", spacy_model("{}")),
    "spaCy model to be installed": ("load or install 'strange'", spacy_model("strange")),
    "shell command for evalb": ("model.evalb_.* = 'x', a program that would be c", config(EVALB, "x")),
    "Perl script": ("srl_eval_path = 'x.pl', a Perl script", config("model.srl_eval_path", "x.pl")),
    "transformer with code": ("_kwargs.trust_remote_code = True, by which", transformer_with_code),
    "tokenizer with code": ("tokens.tokenizer_kwargs.trust_remote_code = True", tokenizer_with_code),
    "unasked": ("Config, expected one of|requires you to execute|trust_remote_code", unasked_code),
    "transformer with pickle": ('"posix.system"|Unable to load weights', transformer_with_pickle),
    "other weights for it": ('it holds "posix.system"', other_weights_for_a_transformer),
    "reader of a loader": (
        "_loader.reader, which commands",
        config("data_loader.reader", {"type": "x"}),
    ),
    "file of a loader": (
        "validation_data_loader.data_path, which commands",
        config("validation_data_loader.data_path", "/etc/passwd"),
    ),
    # Configs that are not plain JSON
    "import": ("is no JSON.*expected what AllenNLP writes", text('importstr "/etc/hostname"')),
    "environment": ("is no JSON", text('{"dataset_reader": {"type": std.extVar("HOME")}}')),
    "deep config": ("is no JSON", text("[" * 100_000 + "]" * 100_000)),
    "config that is a list": ("holds a list, expected an object", text("[]")),
    "config of bytes": ("is no JSON", text("\0\0\0")),
    # Contents of the weights. PyTorch's message has some names without the module.
    **{f.__name__: (rf'"({f.__module__}\.)?{f.__name__}"', call(f, *rest)) for f, *rest in CALLS},
    "system": ('holds "posix.system"', weights(torch.save)),
    "legacy weights": ('it holds "posix.system"', weights(torch.save, **LEGACY)),
    "new pickle": (NO_WEIGHTS, weights(torch.save, pickle_protocol=5)),
    "plain pickle": (NO_WEIGHTS, weights(pickle.dump)),
    "old opcodes": (NO_WEIGHTS, weights(lambda _, file: file.write(b"(S'true'\nios\nsystem\n."))),
    "TorchScript": ('it holds "TorchScript"', weights(lambda _, file: torch.jit.save(SCRIPT, file))),
    "cut off": ("is damaged", weights(lambda _, file: file.write(b"PK\x03\x04\0\0\0\0"))),
    "no weights": ("is damaged", weights(lambda *_: None)),
}
# These succeed with AllenNLP alone, which shows that they are real attacks.
BREAKING_IN = [
    *("Popen as dataset_reader", "copyfile", "module on the path", "transformer with code"),
    *("system", "exec", "open", "legacy weights", "new pickle", "plain pickle"),
]
if sys.version_info < (3, 14):  # whose tarfile has a filter by default
    BREAKING_IN += ["parent path", "absolute path", "file behind a link"]


def causes(error):
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


@pytest.mark.parametrize("name", ATTACKS)
def test_it_is_refused(forge, name):
    refusal, make = ATTACKS[name]
    make(forge)
    path = forge.write()
    before = set(forge.folder.rglob("*"))
    with pytest.raises(Exception) as refused:
        load_archive(path)
    assert set(forge.folder.rglob("*")) == before  # includes the folder for temporary files
    errors = list(causes(refused.value))
    # ValueError is how transformers refuses its own code.
    assert any(isinstance(error, (ConfigurationError, ValueError)) for error in errors)
    if not CAN_CHECK:
        refusal += "|cannot read weights without running code"
    messages = [str(error) for error in errors]
    assert any(re.search(refusal, message) for message in messages), messages


@pytest.mark.parametrize("name", BREAKING_IN)
def test_it_is_an_attack(forge, name):
    ATTACKS[name][1](forge)
    with contextlib.suppress(Exception):
        allennlp.models.load_archive(forge.write())
    deadline = time.monotonic() + 10  # a command runs in another process
    while not forge.pwned.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert forge.pwned.exists()


def test_the_archive_itself_opens(forge):
    path = forge.write()
    with safe_archives(trust=not CAN_CHECK):
        archive = allennlp.models.load_archive(path)
    name = "encoder._module.weight_ih_l0"
    assert torch.equal(archive.model.state_dict()[name], forge.weights[name])
    assert not list((forge.folder / "tmp").iterdir())
