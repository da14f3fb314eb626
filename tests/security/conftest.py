"""Write an archive of a small tagger, as AllenNLP does, or a hostile variant of it."""

import copy
import functools
import io
import json
import os
import tarfile
import tempfile

import pytest
import torch
from allennlp.common import Params
from allennlp.data import Vocabulary
from allennlp.models import Model

from slstm_allennlp.security.opening import TRUST

CONFIG = {
    "dataset_reader": {"type": "sequence_tagging"},
    "model": {
        "type": "simple_tagger",
        "text_field_embedder": {"token_embedders": {"tokens": {"embedding_dim": 2}}},
        "encoder": {"type": "lstm", "input_size": 2, "hidden_size": 2},
    },
}


class Call:
    def __init__(self, function, *arguments):
        self.reduced = function, arguments

    def __reduce__(self):
        return self.reduced


class Forge:
    """The parts of an archive; `write` packs them. In names and values, `{}` is the file `pwned`."""

    def __init__(self, folder, patch):
        self.folder, self.patch = folder, patch
        self.pwned = folder / "pwned"  # a successful attack creates this file
        self.config, self.config_text = copy.deepcopy(CONFIG), None
        vocabulary = Vocabulary({"tokens": {"the": 1, "dog": 1}, "labels": {"D": 1, "N": 1}})
        vocabulary.save_to_files(str(folder / "vocabulary"))
        model = Model.from_params(Params(copy.deepcopy(CONFIG["model"])), vocab=vocabulary)
        self.weights, self.save_weights = model.state_dict(), torch.save
        self.more = []  # functions that add members to the tar file
        self.omitted = set()

    def touch(self):
        """Return an object that creates the file `pwned` when it is unpickled."""
        return Call(os.system, f"touch {self.pwned}")

    def member(self, name, data=b"", **attributes):
        """Add a member of any type to the tar file, in the place of the file of this name."""
        info = tarfile.TarInfo(name.replace("{}", str(self.pwned)))
        info.size = len(data)
        for key, value in attributes.items():
            setattr(info, key, value)
        self.omitted.add(name)
        self.more.append(lambda archive: archive.addfile(info, io.BytesIO(data)))

    def link(self, name, target, kind=tarfile.SYMTYPE):
        self.member(name, type=kind, linkname=str(target))

    def header(self, kind):
        """Add the header alone of 8 gigabytes."""
        info = tarfile.TarInfo("x")
        info.size, info.type = 2**33, kind
        self.more.append(lambda archive: archive.fileobj.write(info.tobuf(tarfile.GNU_FORMAT)))

    def put(self, place, value):
        """Set the value at a place in the config, such as `model.encoder`."""
        *parents, key = place.split(".")
        config = functools.reduce(lambda part, name: part.setdefault(name, {}), parents, self.config)
        config[key] = json.loads(json.dumps(value).replace("{}", str(self.pwned)))

    def save(self, write, **options):
        """Let `write(object, file)` write the weights, on a machine whose old code forbids checks."""
        self.patch.setenv("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD", "1")
        self.save_weights = lambda _, file: write(self.touch(), file, **options)

    def call(self, function, *arguments):
        """Let the weights call a function when they are unpickled."""
        given = [a.replace("{}", str(self.pwned)) if isinstance(a, str) else a for a in arguments]
        self.save(lambda _, file: torch.save({**self.weights, "w": Call(function, *given)}, file))

    def write(self):
        path = self.folder / "model.tar.gz"
        (self.folder / "config.json").write_text(self.config_text or json.dumps(self.config))
        with open(self.folder / "weights.th", "wb") as file:
            self.save_weights(self.weights, file)
        with tarfile.open(path, "w:gz") as archive:
            for name in {"config.json", "weights.th", "vocabulary"} - self.omitted:
                archive.add(self.folder / name, arcname=name)
            for add in self.more:
                add(archive)
        return path


@pytest.fixture
def forge(tmp_path, monkeypatch):
    """A forge of archives. The parent of the folder for temporary files is checked for new files."""
    (tmp_path / "forge" / "tmp").mkdir(parents=True)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "forge" / "tmp"))
    monkeypatch.delenv(TRUST, raising=False)
    return Forge(tmp_path / "forge", monkeypatch)
