"""
Archives that try to run code, to write or read files outside, or to fill the disk. Each is refused with
a `ConfigurationError`, before it has an effect. Attacks with `breaks_in` succeed with AllenNLP's
original functions, which shows that they are real attacks.
"""

import contextlib
import io
import json
import pickle
import re
import struct
import sys
import tarfile
import tempfile
import time
import zipfile
from typing import Callable, Dict, NamedTuple

import pytest
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.models import load_archive

from slstm_allennlp.common.changes import CHANGES
from slstm_allennlp.security.archives import MAX_BYTES, MAX_MEMBERS
from tests.security.common import Forge, Touch


class Attack(NamedTuple):
    """A function that changes the archive, the error, and whether it succeeds without the plugin."""

    make: Callable
    refusal: str
    breaks_in: bool


ATTACKS: Dict[str, Attack] = {}


def attack(refusal, breaks_in=False, name=None):
    def register(make):
        ATTACKS[name or make.__name__] = Attack(make, refusal, breaks_in)
        return make

    return register


# Members of the archive


@attack("member '../../pwned' lies outside", breaks_in=sys.version_info < (3, 14))
def parent_path(forge, _):
    forge.member("../../pwned", b"x")  # from forge/tmp/RANDOM


@attack("lies outside", breaks_in=sys.version_info < (3, 14))
def absolute_path(forge, _):
    forge.member(str(forge.pwned), b"x")


@attack("member 'vocabulary/../../pwned' lies outside")
def parent_path_within(forge, _):
    forge.member("vocabulary/../../pwned", b"x")


@attack("lies outside")
def parent_folder(forge, _):
    forge.member("..", type=tarfile.DIRTYPE)


@attack(r"member '\.\.\\\\pwned' lies outside")
def windows_parent(forge, _):
    forge.member("..\\pwned", b"x")


@attack("lies outside")
def windows_drive(forge, _):
    forge.member("C:\\pwned", b"x")


@attack("lies outside")
def long_parent_path(forge, _):
    forge.member("x/" * 80 + "../" * 90 + "pwned", b"x")


@attack("lies outside")
def parent_path_in_a_pax_header(forge, _):
    forge.member("harmless", b"x", pax_headers={"path": "../pwned"})


@attack("is a link to", breaks_in=sys.version_info < (3, 14))
def file_behind_a_link(forge, _):
    forge.link("notes", forge.folder)
    forge.member("notes/pwned", b"x")


@attack("is a link to '..'")
def link_to_the_parent(forge, _):
    forge.link("notes", "..")


@attack("is a link to 'config.json'")
def link_within(forge, _):
    forge.link("notes", "config.json")


@attack("is a link to '/etc/hostname'")
def hard_link(forge, _):
    forge.link("notes", "/etc/hostname", type=tarfile.LNKTYPE)


@attack("is a link to 'config.json'")
def hard_link_within(forge, _):
    forge.link("notes", "config.json", type=tarfile.LNKTYPE)


@attack("member 'weights.th' is a link")
def link_for_the_weights(forge, _):
    forge.omitted.add("weights.th")
    forge.link("weights.th", "/etc/passwd")


@attack("member 'config.json' is a link")
def link_for_the_config(forge, _):
    forge.omitted.add("config.json")
    forge.link("config.json", "/etc/passwd")


@attack("member 'vocabulary' is a link")
def link_for_the_vocabulary(forge, _):
    forge.omitted.add("vocabulary")
    forge.link("vocabulary", "/etc")


@attack("is a link to")
def chain_of_links(forge, _):
    # Bypasses Python's own filter before 3.11.13, with a path that is too long to be resolved.
    for depth in range(3):
        forge.link("a" * 200 + str(depth), "b" * 200)


@attack("is a device or another special file")
def character_device(forge, _):
    forge.member("vocabulary/zero", type=tarfile.CHRTYPE, devmajor=1, devminor=5)


@attack("is a device or another special file")
def block_device(forge, _):
    forge.member("disk", type=tarfile.BLKTYPE, devmajor=8)


@attack("is a device or another special file")
def named_pipe(forge, _):
    forge.member("pipe", type=tarfile.FIFOTYPE)


@attack("is a device or another special file")
def unknown_kind(forge, _):
    forge.member("thing", type=b"Z")


@attack("is a sparse file|damaged")
def sparse_file(forge, _):
    header = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.name": "notes"}
    forge.member(
        "x", b"0\n".ljust(512, b"\0"), pax_headers={**header, "GNU.sparse.realsize": str(2**40)}
    )


@attack("would unpack .*vocabulary, expected a folder")
def zip_for_the_vocabulary(forge, _):
    # If the vocabulary is an archive, AllenNLP unpacks it with other code and without a limit.
    forge.omitted.add("vocabulary")
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("tokens.txt", "@@UNKNOWN@@\n")
    forge.member("vocabulary", data.getvalue())


@attack("member 'tokens.txt' is a link")
def tar_for_the_vocabulary(forge, _):
    forge.omitted.add("vocabulary")
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:
        link = tarfile.TarInfo("tokens.txt")
        link.type, link.linkname = tarfile.SYMTYPE, "other.txt"
        archive.addfile(link)
    forge.member("vocabulary", data.getvalue())


@attack("has more than 20 members.*SLSTM_ALLENNLP_MAX_ARCHIVE_MEMBERS raises")
def many_members(forge, monkeypatch):
    monkeypatch.setenv(MAX_MEMBERS, "20")
    for number in range(20):
        forge.member(f"vocabulary/{number}")


@attack("has more than 100000 bytes unpacked.*SLSTM_ALLENNLP_MAX_ARCHIVE_BYTES raises")
def many_bytes(forge, monkeypatch):
    monkeypatch.setenv(MAX_BYTES, "100000")
    forge.member("zeros", bytes(100_001))


@attack("has more than 100000 bytes unpacked")
def size_in_the_header_alone(forge, monkeypatch):
    monkeypatch.setenv(MAX_BYTES, "100000")
    forge.more.append(lambda archive: archive.fileobj.write(header("zeros", 2**33)))


@attack("a header of 8589934592 bytes")
def large_pax_header(forge, _):
    forge.more.append(lambda archive: archive.fileobj.write(header("x", 2**33, tarfile.XHDTYPE)))


@attack("a header of 8589934592 bytes")
def large_long_name(forge, _):
    forge.more.append(
        lambda archive: archive.fileobj.write(header("x", 2**33, tarfile.GNUTYPE_LONGNAME))
    )


def header(name, size, type=tarfile.REGTYPE):
    info = tarfile.TarInfo(name)
    info.size, info.type = size, type
    return info.tobuf(tarfile.GNU_FORMAT)


@attack("SLSTM_ALLENNLP_MAX_ARCHIVE_BYTES is 'much', expected a number")
def limit_that_is_no_number(_, monkeypatch):
    monkeypatch.setenv(MAX_BYTES, "much")


# Contents of the config

CALLABLES = {
    "subprocess.Popen": lambda pwned: {"args": ["touch", str(pwned)]},
    "os.system": lambda pwned: {"command": f"touch {pwned}"},
    "pathlib.Path.touch": lambda pwned: {},
    "shutil.copyfile": lambda pwned: {"src": "/etc/hostname", "dst": str(pwned)},
    "runpy.run_path": lambda pwned: {"path_name": str(pwned)},
    "torch.load": lambda pwned: {"f": str(pwned)},
    "torch.hub.load": lambda pwned: {"repo_or_dir": "stranger/repository", "model": "x"},
    "allennlp.models.archival.archive_model": lambda pwned: {"serialization_dir": str(pwned)},
    "allennlp.common.file_utils.cached_path": lambda pwned: {"url_or_filename": "http://127.0.0.1:9/"},
    "allennlp.common.util.get_spacy_model": lambda pwned: {"spacy_model_name": str(pwned)},
}
CALLED = ("subprocess.Popen", "shutil.copyfile")  # others fail because of arguments that AllenNLP adds
for callable_name, arguments in CALLABLES.items():

    @attack(f'type "{callable_name}"', callable_name in CALLED, f"reader {callable_name}")
    def _(forge, _, type=callable_name, arguments=arguments):
        forge.config["dataset_reader"] = {"type": type, **arguments(forge.pwned)}


POPEN = {"type": "subprocess.Popen", "args": ["touch", "{pwned}"]}
PLACES = (
    "validation_dataset_reader",
    "dataset_reader.token_indexers.tokens",
    "model",
    "model.encoder",
    "model.text_field_embedder",
    "model.text_field_embedder.token_embedders.tokens",
    "model.regularizer.regexes.0.1",
    "vocabulary",
)
for place in PLACES:

    @attack('type "subprocess.Popen"', name=f"Popen at {place}")
    def _(forge, _, place=place):
        put(forge.config, place, json.loads(json.dumps(POPEN).replace("{pwned}", str(forge.pwned))))


def put(config, place, value):
    *parents, key = place.split(".")
    for parent in parents:
        if isinstance(config, dict):
            default = [["x", {}]] if parent == "regexes" else {}
            config = config.setdefault(parent, default)
        else:
            config = config[int(parent)]
    config[int(key) if isinstance(config, list) else key] = value


@attack('type "stranger_module.Reader" is of a module that is not loaded.*--include-package', True)
def module_on_the_path(forge, monkeypatch):
    (forge.folder / "stranger_module.py").write_text(f"open({str(forge.pwned)!r}, 'w').close()")
    monkeypatch.syspath_prepend(forge.folder)
    monkeypatch.delitem(sys.modules, "stranger_module", raising=False)
    forge.config["dataset_reader"]["type"] = "stranger_module.Reader"


@attack('type "allennlp.__main__.run" is of a module that is not loaded')
def main_module(forge, _):
    forge.config["dataset_reader"]["type"] = "allennlp.__main__.run"


@attack('type "torch.nn.LSTM" is no Seq2SeqEncoder')
def class_of_another_kind(forge, _):
    forge.config["model"]["encoder"]["type"] = "torch.nn.LSTM"


@attack('type "allennlp.models.basic_classifier.BasicClassifier" is no DatasetReader')
def class_of_another_role(forge, _):
    forge.config["dataset_reader"]["type"] = "allennlp.models.basic_classifier.BasicClassifier"


@attack("type \\['subprocess.Popen'\\] is no name|type .* is no name|not in acceptable choices")
def type_that_is_a_list(forge, _):
    forge.config["dataset_reader"]["type"] = ["."]


@attack("is no JSON.*expected what AllenNLP writes")
def jsonnet_import(forge, _):
    (forge.folder / "secret.json").write_text("{}")
    forge.config_text = f'import "{forge.folder}/secret.json"'


@attack("is no JSON")
def jsonnet_importstr(forge, _):
    forge.config_text = '{"dataset_reader": {"type": importstr "/etc/hostname"}}'


@attack("is no JSON")
def jsonnet_environment(forge, monkeypatch):
    monkeypatch.setenv("SECRET", "secret")
    forge.config_text = '{"dataset_reader": {"type": std.extVar("SECRET")}}'


@attack("is no JSON")
def jsonnet_own_path(forge, _):
    forge.config_text = '{"dataset_reader": {"type": std.thisFile}}'


@attack("is no JSON")
def deep_config(forge, _):
    forge.config_text = "[" * 100_000 + "]" * 100_000


@attack("holds a list, expected an object")
def config_that_is_a_list(forge, _):
    forge.config_text = "[]"


@attack("is no JSON")
def config_of_bytes(forge, _):
    forge.config_text = "\0\0\0"


TRANSFORMER = {"type": "pretrained_transformer", "train_parameters": False}


def transformer_folder(forge, auto_map):
    """Create a transformer's folder, which with an `auto_map` asks transformers to run its code."""
    folder = forge.folder / "bert"
    folder.mkdir()
    config = {"model_type": "bert", "hidden_size": 4, "num_attention_heads": 1, "num_hidden_layers": 1}
    (folder / "config.json").write_text(json.dumps({**config, **auto_map}))
    (folder / "code.py").write_text(f"open({str(forge.pwned)!r}, 'w').close()\nclass Config: pass")
    (folder / "vocab.txt").write_text("[UNK]\n[CLS]\n[SEP]\n[PAD]\n[MASK]\nthe\n")
    return str(folder)


OWN_CODE = {
    "model_type": "strange",
    "auto_map": {"AutoConfig": "code.Config", "AutoModel": "code.Config"},
}


def embedder(forge):
    return forge.config["model"]["text_field_embedder"]["token_embedders"]


@attack("transformer_kwargs.trust_remote_code = True, by which transformers runs code", True)
def transformer_with_code(forge, monkeypatch):
    monkeypatch.setattr("builtins.input", lambda *_: "y")
    folder = transformer_folder(forge, OWN_CODE)
    kwargs = {"trust_remote_code": True}
    embedder(forge)["tokens"] = {**TRANSFORMER, "model_name": folder, "transformer_kwargs": kwargs}


@attack("dataset_reader.token_indexers.tokens.tokenizer_kwargs.trust_remote_code = 1")
def tokenizer_with_code(forge, _):
    forge.config["dataset_reader"]["token_indexers"] = {
        "tokens": {
            "type": "pretrained_transformer_mismatched",
            "model_name": transformer_folder(forge, OWN_CODE),
            "tokenizer_kwargs": {"trust_remote_code": 1},
        }
    }


@attack("Config that comes with a transformer|requires you to execute|trust_remote_code")
def transformer_with_code_unasked(forge, monkeypatch):
    monkeypatch.setattr("builtins.input", lambda *_: "y")  # answers transformers' question
    embedder(forge)["tokens"] = {**TRANSFORMER, "model_name": transformer_folder(forge, OWN_CODE)}


def pickled(forge, name="strange.bin"):
    path = forge.folder / name
    torch.save({"weight": Touch(forge.pwned)}, path)
    return str(path)


@attack('"posix.system"|Unable to load weights')
def transformer_with_pickled_weights(forge, monkeypatch):
    folder = transformer_folder(forge, {})
    pickled(forge, "bert/pytorch_model.bin")
    embedder(forge)["tokens"] = {**TRANSFORMER, "model_name": folder, "load_weights": True}


@attack('it holds "posix.system"')
def other_weights_for_a_transformer(forge, monkeypatch):
    folder = transformer_folder(forge, {})
    options = {"load_weights": True, "override_weights_file": pickled(forge)}
    embedder(forge)["tokens"] = {**TRANSFORMER, "model_name": folder, **options}


ADDRESSES = (
    "http://127.0.0.1:9/x",
    "https://127.0.0.1:9/x",
    "s3://stranger/x",
    "gs://stranger/x",
    "hf://x/y",
)
for address in ADDRESSES:

    @attack(f"would fetch {address}", name=f"fetch {address}")
    def _(forge, _, address=address):
        forge.config["model"] = {"type": "from_archive", "archive_file": address}


@attack("would fetch http")
def fetch_a_part(forge, _):
    source = {"archive_file": "http://127.0.0.1:9/x", "module_path": "encoder"}
    forge.config["model"]["encoder"] = {"_pretrained": source}


@attack("would fetch http")
def fetch_elmo(forge, _):
    address = "http://127.0.0.1:9/x"
    embedder(forge)["tokens"] = {
        "type": "elmo_token_embedder",
        "options_file": address,
        "weight_file": address,
    }


@attack("lies outside")
def archive_within(forge, monkeypatch):
    (forge.folder / "inner").mkdir()
    inner = Forge(forge.folder / "inner")
    inner.member("../pwned")
    forge.config["model"] = {"type": "from_archive", "archive_file": str(inner.write())}


@attack("would have spaCy load or install")
def spacy_model_in_a_folder(forge, _):
    tokenizer = {"type": "spacy", "language": str(forge.folder)}
    forge.config["dataset_reader"] = {"type": "text_classification_json", "tokenizer": tokenizer}


@attack("would have spaCy load or install 'strange_model'")
def spacy_model_to_be_installed(forge, _):
    tokenizer = {"type": "spacy", "language": "strange_model"}
    forge.config["dataset_reader"] = {"type": "text_classification_json", "tokenizer": tokenizer}


@attack("has model.evalb_directory_path = 'x; touch y', a program that would be compiled and run")
def shell_command_for_evalb(forge, _):
    forge.config["model"]["evalb_directory_path"] = "x; touch y"


@attack("has model.srl_eval_path = 'strange.pl', a Perl script")
def perl_script(forge, _):
    forge.config["model"]["srl_eval_path"] = "strange.pl"


# Contents of the weights


class Call:
    """An object that makes a call when it is unpickled."""

    def __init__(self, function, *arguments):
        self.reduced = function, arguments

    def __reduce__(self):
        return self.reduced


def in_the_weights(make_object):
    def make(forge, monkeypatch):
        # Some machines have this set, for old code.
        monkeypatch.setenv("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD", "1")
        forge.weights["encoder.weight"] = make_object(forge)

    return make


OPEN = f"{open.__module__}.open"  # io.open, from Python 3.13 on _io.open
CALLS = {
    "posix.system": lambda forge: Touch(forge.pwned),
    "builtins.exec": lambda forge: Call(exec, f"open({str(forge.pwned)!r}, 'w')"),
    "builtins.eval": lambda forge: Call(eval, f"open({str(forge.pwned)!r}, 'w')"),
    "builtins.getattr": lambda forge: Call(getattr, torch.Tensor, "__doc__"),
    OPEN: lambda forge: Call(open, str(forge.pwned), "w"),
    "torch.serialization.load": lambda forge: Call(torch.serialization.load, "x"),
    "torch.hub.load": lambda forge: Call(torch.hub.load, "x", "y"),
    "tempfile.mkdtemp": lambda forge: Call(tempfile.mkdtemp, str(forge.pwned)),
    "torch._utils._import_dotted_name": lambda forge: Call(
        torch._utils._import_dotted_name, "os.system"
    ),
}
WRITING = ("posix.system", "builtins.exec", OPEN)
for callable_name, make_object in CALLS.items():
    # PyTorch's message has "exec" without its module.
    refusal = f'it holds "({callable_name}|{callable_name.rpartition(".")[-1]})"'
    ATTACKS[f"weights {callable_name}"] = Attack(
        in_the_weights(make_object), refusal, callable_name in WRITING
    )


@attack('it holds "posix.system"', breaks_in=True)
def legacy_weights(forge, monkeypatch):
    in_the_weights(CALLS["posix.system"])(forge, monkeypatch)
    forge.save_weights = lambda *args: torch.save(*args, _use_new_zipfile_serialization=False)


@attack('it holds "posix.system"|cannot be read by the allow-list', breaks_in=True)
def weights_of_a_new_pickle(forge, monkeypatch):
    in_the_weights(CALLS["posix.system"])(forge, monkeypatch)
    forge.save_weights = lambda *args: torch.save(*args, pickle_protocol=5)


@attack('it holds "posix.system"|expected tensors', breaks_in=True)
def weights_of_a_plain_pickle(forge, monkeypatch):
    monkeypatch.setenv("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD", "1")
    forge.save_weights = lambda weights, file: pickle.dump(Touch(forge.pwned), file)


@attack('it holds "os.system"|expected tensors')
def weights_of_old_opcodes(forge, _):
    command = f"(S'touch {forge.pwned}'\nios\nsystem\n.".encode()
    forge.save_weights = lambda weights, file: file.write(command)


@attack("it is TorchScript")
def torchscript(forge, monkeypatch):
    monkeypatch.setenv("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD", "1")
    forge.save_weights = lambda weights, file: torch.jit.save(
        torch.jit.script(torch.nn.Linear(1, 1)), file
    )


@attack("is damaged|expected tensors")
def weights_that_are_cut_off(forge, _):
    forge.save_weights = lambda weights, file: file.write(b"PK\x03\x04" + struct.pack("<I", 0))


@attack("is damaged|expected tensors")
def no_weights_at_all(forge, _):
    forge.save_weights = lambda weights, file: None


@pytest.fixture
def forge(tmp_path, monkeypatch):
    # The parent of the folder for temporary files is checked for new files.
    (tmp_path / "forge" / "tmp").mkdir(parents=True)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "forge" / "tmp"))
    return Forge(tmp_path / "forge")


def causes(error):
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


@pytest.mark.parametrize("name", ATTACKS)
def test_it_is_refused(forge, monkeypatch, name):
    make, refusal, _ = ATTACKS[name]
    make(forge, monkeypatch)
    path = forge.write()
    before = set(forge.folder.rglob("*"))
    with pytest.raises(Exception) as refused:
        load_archive(path)
    assert set(forge.folder.rglob("*")) == before  # includes the folder for temporary files
    errors = list(causes(refused.value))
    assert any(isinstance(error, ConfigurationError) for error in errors)
    messages = [str(error) for error in errors]
    assert any(re.search(refusal, message) for message in messages), messages


@pytest.mark.parametrize("name", [name for name in ATTACKS if ATTACKS[name].breaks_in])
def test_it_is_an_attack(forge, monkeypatch, name):
    for change in CHANGES:
        monkeypatch.setattr(change.owner, change.name, change.original)
    ATTACKS[name].make(forge, monkeypatch)
    with contextlib.suppress(Exception):
        load_archive(forge.write())
    deadline = time.monotonic() + 10  # a command runs in another process
    while not forge.pwned.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert forge.pwned.exists()


def test_the_archive_itself_opens(forge):
    archive = load_archive(forge.write())
    assert torch.equal(
        archive.model.state_dict()["encoder._module.weight_ih_l0"],
        forge.weights["encoder._module.weight_ih_l0"],
    )
    assert not list((forge.folder / "tmp").iterdir())
