"""Gold tags that are not in the model's `label_encoding`, for all pairs of scheme and encoding."""

import itertools
import re

import pytest
from allennlp.commands.train import train_model
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import DatasetReader
from allennlp.data.data_loaders import SimpleDataLoader
from torch import nn

from slstm_allennlp.common.errors import CorpusError
from slstm_allennlp.metrics.span_tags import ENCODINGS
from slstm_allennlp.training.tag_check import check_tags, is_in
from tests.training.conftest import tagger_config

# The same entities in each scheme. AllenNLP's BMES is for words, of which every character is a part.
SCHEMES = {
    "BIO": "B-PER I-PER B-PER O B-LOC I-LOC I-LOC",
    "IOB1": "I-PER I-PER B-PER O I-LOC I-LOC I-LOC",
    "BIOUL": "B-PER L-PER U-PER O B-LOC I-LOC L-LOC",
    "BMES": "B-PER E-PER S-PER B-LOC M-LOC E-LOC",
}
BIOES = "B-PER E-PER S-PER O B-LOC I-LOC E-LOC"


def sentences(tmp_path, *tags, sort="train"):
    """Write a sentence for each sequence of tags."""
    path = tmp_path / f"{sort}.txt"
    lines = [[f"w{number}###{tag}" for number, tag in enumerate(each.split())] for each in tags]
    path.write_text("\n".join(map(" ".join, lines)) + "\n")
    return path


def train(tmp_path, encoding, *tags, validation=None, changes=(), **keys):
    config = tagger_config(sentences(tmp_path, *tags))
    config["model"].update({"type": "crf_tagger", "label_encoding": encoding, **keys})
    config.update(changes)
    if validation is not None:
        config["validation_data_path"] = str(sentences(tmp_path, validation, sort="dev"))
    train_model(Params(config), str(tmp_path / "run"))


@pytest.mark.parametrize("scheme, encoding", itertools.product(SCHEMES, ENCODINGS))
def test_every_pair(tmp_path, scheme, encoding):
    if scheme == encoding:
        return train(tmp_path, encoding, SCHEMES[scheme])
    message = (
        f"{tmp_path / 'train.txt'}, sentence 1: the tags {SCHEMES[scheme]} are not {encoding}, which is "
        f"the model's label_encoding; expected label_encoding {scheme}"
    )
    with pytest.raises(CorpusError, match=f"^{re.escape(message)}$"):
        train(tmp_path, encoding, SCHEMES[scheme])
    assert not list((tmp_path / "run").glob("*.th"))


LINEAR = {"model": {"type": "linear_tagger", "label_encoding": "BIOUL"}, "trainer": "fit"}
UNKNOWN = "label_encoding is 'BIOES', expected .*other names of BIOUL"


@pytest.mark.parametrize(
    "encoding, tags, options, message",
    [
        ("BIO", ["O", BIOES], {}, "sentence 2: .* not BIO, .* label_encoding BIOUL, and tags with"),
        ("BMES", [BIOES], {}, "are not BMES, .* expected label_encoding BIOUL, and tags with U for S"),
        ("BIOUL", ["B-X L-Y"], {}, "expected tags such as B-PER, I-PER and O; no sentence is in an"),
        ("BIOUL", ["PER-B PER-I"], {}, "expected tags such as B-PER"),
        ("BIO", ["B-X O"] * 3 + ["O I-X"], {}, "sentence 4: .* it in every .*, as in 3 of 4 sentences"),
        ("BIOUL", ["B-X O"] * 3 + ["O I-X"], {}, "the same .* sentence; 3 of 4 sentences are BIO$"),
        ("BIO", ["NN IN BUT"], {}, "the tags NN IN BUT are not BIO"),
        ("BIOUL", ["B I O"], {}, "expected label_encoding BIO"),  # entities without a type
        ("BIO", ["U"], {}, "expected label_encoding BIOUL"),
        ("IOB1", ["B-X I-X", "O"], {}, "expected label_encoding BIO$"),
        ("BMES", ["O"], {}, "expected label_encoding BIO or IOB1 or BIOUL"),
        ("BIOUL", ["U-X"], {"validation": "B-X"}, r"dev\.txt, sentence 1: .* B-X are not BIOUL.* BIO$"),
        # A model that has only the metric, and one that is fitted at once
        ("BIO", ["U-X"], {"type": "simple_tagger"}, "are not BIO, .* expected label_encoding BIOUL"),
        ("BIOUL", ["B-X O"], {"changes": LINEAR}, "are not BIOUL, .* expected label_encoding BIO$"),
        ("BIOES", ["O"], {}, UNKNOWN),
        ("BIOES", ["O"], {"constrain_crf_decoding": False}, UNKNOWN),
    ],
)
def test_what_does_not_fit(tmp_path, encoding, tags, options, message):
    with pytest.raises(ConfigurationError, match=message) as raised:
        train(tmp_path, encoding, *tags, **options)
    assert isinstance(raised.value, CorpusError) == (encoding != "BIOES")


def test_models_without_an_encoding_have_any_tags(tmp_path):
    train(tmp_path, None, "NN IN", type="simple_tagger")
    check_tags(nn.Linear(1, 1), SimpleDataLoader([], 1))
    assert is_in("BIO", ["O"]) and not is_in("BIO", ["B-X", "I-Y"])
    assert not is_in("BIO", ["B-X", ""])


def test_conll_ner_is_always_bioul(tmp_path):
    path = tmp_path / "train.conll"
    path.write_text("Ada B-PER\nLee I-PER\nsaw O\nTom B-PER\n")
    reader = DatasetReader.by_name("conll_ner")(coding_scheme="IOB2")
    loader = SimpleDataLoader(list(reader.read(path)), 1)
    model = nn.Module()
    model.label_encoding = "BIO"
    with pytest.raises(CorpusError, match=r"the tags B-PER L-PER O U-PER .* label_encoding BIOUL$"):
        check_tags(model, loader)
    model.label_encoding = "BIOUL"
    check_tags(model, loader)
