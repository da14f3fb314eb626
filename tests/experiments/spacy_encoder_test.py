"""experiments/spacy_encoder.py reads both corpora, trains with every encoder and prints its tables."""

import argparse
import runpy
import sys

import pytest
import spacy
from spacy.tokens import DocBin

from tests.conftest import ROOT

TAGS = """# text = I don't.
1	I	_	PRON	PRP	_	_	_	_	_
2-3	don't	_	_	_	_	_	_	_	_
2	do	_	AUX	VBP	_	_	_	_	_
3	n't	_	PART	RB	_	_	_	_	_
3.1	go	_	VERB	VB	_	_	_	_	_
4	.	_	PUNCT	.	_	_	_	_	_

"""
PARTS = ("train", "dev", "test")
ENTITIES = "Ann\tB-person\nLee\tI-person\nsleeps\tO\n\t\nOslo\tB-location\n\n"


@pytest.fixture
def corpora(tmp_path):
    for part in PARTS:
        (tmp_path / f"en_ewt-ud-{part}.conllu").write_text(TAGS * 10)
        (tmp_path / f"wnut17.{part}.conll").write_text(ENTITIES * 10)
    return tmp_path


@pytest.fixture
def script():
    return runpy.run_path(str(ROOT / "experiments/spacy_encoder.py"))


def test_corpora(script, corpora):
    script["convert"](argparse.Namespace(tags=corpora, entities=corpora), corpora)
    vocab = spacy.blank("en").vocab
    files = {path.name[:-6]: DocBin().from_disk(path) for path in corpora.glob("*.spacy")}
    read = {name: list(docs.get_docs(vocab)) for name, docs in files.items()}
    counts = {part: (len(read[f"tags.{part}"]), len(read[f"entities.{part}"])) for part in PARTS}
    assert counts == {"train": (2, 20), "dev": (10, 20), "test": (10, 20)}
    words = [f"{word.text}/{word.tag_}" for word in read["tags.dev"][9]]
    assert words == ["I/PRP", "do/VBP", "n't/RB", "./."]
    entities = [[(span.text, span.label_) for span in doc.ents] for doc in read["entities.train"]]
    assert entities == [[("Ann Lee", "person")], [("Oslo", "location")]] * 10


@pytest.mark.slow
@pytest.mark.parametrize("more", [["--seeds", "1", "--steps", "5"], ["--speed"]])
def test_tables(more, script, corpora, monkeypatch, capsys):
    folders = f"--tags {corpora} --entities {corpora} --output {corpora}/out.jsonl".split()
    monkeypatch.setattr(sys, "argv", ["spacy_encoder.py", *folders, *more])
    script["main"]()
    lines = capsys.readouterr().out.splitlines()
    assert len([line for line in lines if line.startswith(("| tags", "| entities"))]) == 8
