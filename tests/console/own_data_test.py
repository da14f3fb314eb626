"""`slstm train CONFIG --data FILE`, and what its archive reads afterwards."""

import json

import pytest

from slstm_allennlp.console.main import main
from slstm_allennlp.console.train import _are_own_data
from tests.conftest import SMALL, SMALL_TEXTS

HEADER = "review,stars\n"
STARS = (("good", 5), ("bad", 1))
ROWS = [f'"a {word} film, number {n}",{stars}\n' for n in range(30) for word, stars in STARS]


@pytest.fixture
def files(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "all.csv").write_text(HEADER + "".join(ROWS))
    (tmp_path / "dev.csv").write_text(HEADER + "".join(ROWS[:5]) + "rain,weather\n")
    return tmp_path


def train(*arguments, **overrides):
    given = json.dumps({**SMALL_TEXTS, "trainer.num_epochs": 1, **overrides})
    return main(["train", "mr_slstm", "-s", "out", "-o", given, *arguments])


@pytest.mark.parametrize(
    "reader, path, dev, own_dev, are",
    [
        ("tagged_text", "all.txt", "fixtures/pos/dev.conllu", None, True),
        ("tagged_text", "all.txt", "fixtures/pos/dev.conllu", "dev.txt", False),
        ("table", "all.csv", "dev.csv", None, False),
        ("review", "all.csv", "dev.csv", None, True),
    ],
)
def test_which_paths_are_own_data(tmp_path, reader, path, dev, own_dev, are):
    """A file in the overrides, without a reader for it, where the config's reader reads none such."""
    (tmp_path / path).touch()
    config = {"dataset_reader": {"type": reader}, "train_data_path": dev, "validation_data_path": dev}
    given = {"train_data_path": str(tmp_path / path), "validation_data_path": own_dev}
    assert _are_own_data(config, given) is are


def test_train_recover_evaluate_and_predict(files, capsys):
    arguments = ["--data", "all.csv", "--label", "stars"]
    assert train(*arguments) == 0
    out, err = capsys.readouterr()
    assert "all.csv: 60 texts, 2 classes: 30 1, 30 5; train 48, dev 6, test 6" in err
    assert "48 sentences and 6 to validate, 2 labels: 24 1, 24 5" in out and "test accuracy" in out
    assert train(*arguments, "--recover") == 0
    metrics = json.loads((files / "out/metrics.json").read_text())
    assert main(["evaluate", "out/model.tar.gz", "all.csv#test", "--output-file", "m.json"]) == 0
    assert json.loads((files / "m.json").read_text())["loss"] == pytest.approx(metrics["test_loss"])
    assert main(["predict", "out/model.tar.gz", "all.csv", "--silent", "--output-file", "p.jsonl"]) == 0
    lines = [json.loads(line) for line in (files / "p.jsonl").read_text().splitlines()]
    assert [line["gold"] for line in lines] == [row[-2] for row in ROWS]


@pytest.mark.parametrize(
    "paths, sizes",
    [({}, "train 48, dev 6, test 6\n"), ({"validation_data_path": "dev.csv"}, "train 60, dev 6\n")],
)
def test_paths_alone_are_enough(files, capsys, paths, sizes):
    assert train(**paths, **{"train_data_path": "all.csv", "dataset_reader.label": "stars"}) == 0
    shown = capsys.readouterr().err
    unknown = "warning: dev.csv, line 7 (\"rain\"): no example for training has the label 'weather'\n"
    assert sizes in shown and (unknown in shown) == ("validation_data_path" in paths)


def test_a_file_in_the_place_of_the_samples(files, capsys):
    """A config whose dev and test sets are sample files, too."""
    overrides = {**SMALL, "train_data_path": "tags.txt", "trainer.num_epochs": 1}
    (files / "tags.txt").write_text("".join(f"a{n}\tDT\nb\tNN\n\n" for n in range(20)))
    assert main(["train", "pos_slstm", "-s", "tags", "-o", json.dumps(overrides)]) == 0
    assert "tags.txt: 20 sentences, 40 words, 2 tags: 20 DT, 20 NN; train 16" in capsys.readouterr().err


def test_a_kind_of_entity_that_only_dev_has(files, capsys):
    """Not a tag of a kind that is known, such as the first I-PER."""
    (files / "train.txt").write_text("".join(f"Ada\tB-PER\nsings{n}\tO\n\n" for n in range(20)))
    dev = "Bob\tB-PER\n\nAnna\tB-PER\nLee\tI-PER\nin\tO\nRome\tB-GPE-LOC\n"
    (files / "dev.txt").write_text(dev)
    overrides = json.dumps({**SMALL, "trainer.num_epochs": 1})
    data = ["--data", "train.txt", "--dev", "dev.txt"]
    assert main(["train", "ner_slstm", *data, "-s", "entities", "-o", overrides]) == 0
    said = [line for line in capsys.readouterr().err.splitlines() if "no example" in line]
    where = 'warning: dev.txt, line 6 ("Anna Lee in Rome")'
    assert said == [f"{where}: no example for training has the label 'GPE-LOC'"]


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--dev", "dev.csv"], "--dev is given without --data, expected both"),
        (["--data", "all.csv", "--label", "star"], "there is no column 'star', did you mean 'stars'?"),
        (["--data", "all.csv", "--text", "rview"], "there is no column 'rview', did you mean 'review'?"),
        (
            ["-o", '{"dataset_reader.type": "text_classification_json", "train_data_path": "all.csv"}'],
            "dataset_reader.fold is no key of TextClassificationJsonReader, ",
        ),
    ],
)
def test_mistakes(files, capsys, arguments, message):
    assert main(["train", "mr_slstm", *arguments]) == 2
    (line,) = [line for line in capsys.readouterr().err.splitlines() if line.startswith("error: ")]
    assert message in line
