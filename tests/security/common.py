"""Write an archive of a small tagger, as AllenNLP does, or a hostile variant of it."""

import copy
import io
import json
import os
import tarfile

import torch
from allennlp.common import Params
from allennlp.data import Vocabulary
from allennlp.models import Model

CONFIG = {
    "dataset_reader": {"type": "sequence_tagging"},
    "model": {
        "type": "simple_tagger",
        "text_field_embedder": {
            "token_embedders": {"tokens": {"type": "embedding", "embedding_dim": 2}}
        },
        "encoder": {"type": "lstm", "input_size": 2, "hidden_size": 2},
    },
}


class Call:
    def __init__(self, function, *arguments):
        self.reduced = function, arguments

    def __reduce__(self):
        return self.reduced


def touch(forge):
    """Return an object that creates the file `pwned` when it is unpickled."""
    return Call(os.system, f"touch {forge.pwned}")


class Forge:
    """The parts of an archive; `write` packs them."""

    def __init__(self, folder):
        self.folder = folder
        self.pwned = folder / "pwned"  # a successful attack creates this file
        self.config = copy.deepcopy(CONFIG)
        self.config_text = None
        vocabulary = Vocabulary({"tokens": {"the": 1, "dog": 1}, "labels": {"D": 1, "N": 1}})
        vocabulary.save_to_files(str(folder / "vocabulary"))
        model = Model.from_params(Params(copy.deepcopy(CONFIG["model"])), vocab=vocabulary)
        self.weights = model.state_dict()
        self.save_weights = torch.save
        self.more = []  # functions that add members to the tar file
        self.omitted = set()

    def member(self, name, data=b"", **attributes):
        """Add a member of any type to the tar file, in the place of the file of this name."""
        info = tarfile.TarInfo(name)
        info.size = len(data)
        for key, value in attributes.items():
            setattr(info, key, value)
        self.omitted.add(name)
        self.more.append(lambda archive: archive.addfile(info, io.BytesIO(data)))

    def put(self, place, value):
        """Set the value at a place in the config, such as `model.encoder`. `{}` in it is `pwned`."""
        *parents, key = place.split(".")
        config = self.config
        for parent in parents:
            config = config.setdefault(parent, {})
        config[key] = json.loads(json.dumps(value).replace("{}", str(self.pwned)))

    def write(self):
        path = self.folder / "model.tar.gz"
        text = json.dumps(self.config) if self.config_text is None else self.config_text
        (self.folder / "config.json").write_text(text)
        with open(self.folder / "weights.th", "wb") as file:
            self.save_weights(self.weights, file)
        with tarfile.open(path, "w:gz") as archive:
            for name in {"config.json", "weights.th", "vocabulary"} - self.omitted:
                archive.add(self.folder / name, arcname=name)
            for add in self.more:
                add(archive)
        return path
