"""`slstm evaluate` prints the scores of each class, and writes predictions beside gold labels."""

import json
import os
import re
import shutil

import pytest
from allennlp.models import BasicClassifier, load_archive

from slstm_allennlp import Tagger
from slstm_allennlp.console import evaluate
from slstm_allennlp.console.main import main
from slstm_allennlp.predictors.predictions import Prediction

FILES = [
    ("classifier", "class", "mr#dev"),
    ("classifier", "class", "reviews.csv"),
    ("pair_classifier", "class", "snli/dev.jsonl"),
    ("tagger", "tag", "pos/dev.conllu"),
    ("entity_tagger", "entity", "ner/dev.txt"),
]


@pytest.mark.parametrize("name, what, file", FILES)
def test_the_scores_of_each_class(request, tmp_path, capsys, monkeypatch, name, what, file):
    monkeypatch.setattr(evaluate, "_SHOWN", 2)
    monkeypatch.setattr(evaluate, "_IN_MATRIX", 2)
    archive = str(request.getfixturevalue(name) / "model.tar.gz")
    files = ["--output-file", f"{tmp_path}/metrics", "--predictions-output-file", f"{tmp_path}/lines"]
    capsys.readouterr()  # of the training
    assert main(["evaluate", archive, f"fixtures/{file}", *files]) == 0
    metrics, scores, *matrix = capsys.readouterr().out.split("\n\n")
    overall = json.loads((tmp_path / "metrics").read_text())
    assert len(metrics.splitlines()) == len(overall)
    header, *rows = scores.splitlines()
    assert header.split() == [what, "precision", "recall", "F1", "gold"]
    lines = list(map(json.loads, (tmp_path / "lines").read_text().splitlines()))
    pairs = [(line["gold"], line["predicted"]) for line in lines]
    if name == "entity_tagger":
        starts = [tag[2:] for gold, _ in pairs for tag in gold if tag[:1] in "BU"]
        number = len(set(starts))
    else:
        if name == "tagger":
            pairs = [pair for gold, predicted in pairs for pair in zip(gold, predicted, strict=True)]
        starts = [gold for gold, _ in pairs]
        number = len({label for pair in pairs for label in pair})
        right = sum(gold == predicted for gold, predicted in pairs) / len(pairs)
        assert overall["accuracy"] == pytest.approx(right)
    for row in rows[:2]:
        label, *_, gold = row.split()
        assert int(gold) == starts.count(label)
    assert rows[2:] == ([f"… and {number - 2} less frequent"] if number > 2 else [])
    assert len(matrix) == ("classifier" in name)
    if matrix:
        header, *rows = matrix[0].splitlines()
        _, *names = re.split("  +", header)
        for gold, row in zip(names, rows[:2], strict=True):
            assert row.split() == [gold, *(str(pairs.count((gold, other))) for other in names)]


def test_a_file_without_labels_has_no_score(classifier, tmp_path, capsys):
    (tmp_path / "new.jsonl").write_text('{"text": "A fine film ."}\n')
    config = json.dumps({"dataset_reader": {"type": "table"}})
    archive = str(classifier / "model.tar.gz")
    assert main(["evaluate", archive, f"{tmp_path}/new.jsonl", "--overrides", config]) == 2
    assert f"{tmp_path}/new.jsonl has no labels, expected some to score" in capsys.readouterr().err
    os.mkfifo(tmp_path / "pipe")
    assert main(["evaluate", archive, f"{tmp_path}/pipe", "--overrides", config]) == 2
    assert f"{tmp_path}/pipe: is a pipe, expected a file\n" in capsys.readouterr().err


def test_pairs_are_no_texts(classifier, tmp_path, capsys):
    (tmp_path / "new.csv").write_text("text_a,text_b,label\na,b,0\n")
    assert main(["evaluate", str(classifier / "model.tar.gz"), f"{tmp_path}/new.csv"]) == 2
    assert "new.csv: the columns are those of pairs, expected those of texts" in capsys.readouterr().err
    (tmp_path / "new.csv").write_text("text_a,text_b,label\na,b,positive\n")
    both = json.dumps({"dataset_reader": {"type": "table", "combine_input_fields": True}})
    command = ["evaluate", str(classifier / "model.tar.gz"), f"{tmp_path}/new.csv", "--overrides", both]
    assert main(command) == 0


def test_a_file_with_a_comma_in_its_name(classifier, tmp_path, capsys):
    (tmp_path / "a,b.csv").write_text("text,label\nA fine film .,positive\n")
    command = ["evaluate", str(classifier / "model.tar.gz"), f"{tmp_path}/a,b.csv"]
    assert main([*command, "--auto-names", "ALL"]) == 0
    assert "accuracy" in (tmp_path / "a,b.outputs").read_text()
    assert (tmp_path / "a,b.preds").read_text().count("\n") == 1
    assert main([*command, "--output-file", f"{tmp_path}/o,1"]) == 0
    assert (tmp_path / "o,1").read_text() == (tmp_path / "a,b.outputs").read_text()


def test_a_folder_that_one_stands_in(classifier, tmp_path, monkeypatch):
    archive = str((classifier / "model.tar.gz").resolve())
    shutil.copytree("fixtures/mr", tmp_path / "mr")
    monkeypatch.chdir(tmp_path / "mr")
    assert main(["evaluate", archive, ".#dev", "--auto-names", "METRICS"]) == 0
    assert json.loads((tmp_path / "mr/.-dev.outputs").read_text())["accuracy"] > 0


def test_paths_with_commas():
    assert evaluate.paths_in("a.{de,en},b.{de,en},c") == ["a.{de,en}", "b.{de,en}", "c"]


def test_parts_of_one_file(classifier, tmp_path):
    """Each has files of its own."""
    shutil.copy("fixtures/reviews.csv", tmp_path / "all.csv")
    config = json.dumps({"dataset_reader": {"type": "table"}})
    for part in ("dev", "test+dev"):
        command = ["evaluate", str(classifier / "model.tar.gz"), f"{tmp_path}/all.csv#{part}"]
        assert main([*command, "--auto-names", "ALL", "--overrides", config]) == 0
    names = [f"all-{part}.{kind}" for part in ("dev", "test+dev") for kind in ("outputs", "preds")]
    assert sorted(path.name for path in tmp_path.glob("all*")) == sorted(["all.csv", *names])


def test_more_files_than_a_name_has_characters(classifier, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = [f"test_set_{number:02}.csv" for number in range(20)]
    for name in names:
        (tmp_path / name).write_text("text,label\nA fine film .,positive\n")
    assert main(["evaluate", str(classifier / "model.tar.gz"), ",".join(names)]) == 0
    assert "test_set_19_accuracy" in capsys.readouterr().out


def test_a_batch_size_beside_a_sampler(classifier, monkeypatch):
    """AllenNLP gives it to the data loader, which refuses both. Limits of validation are not read."""
    archive = str(classifier / "model.tar.gz")
    assert load_archive(archive).config["data_loader"]["batch_sampler"]["type"] == "bucket"
    sizes, forward = [], BasicClassifier.forward

    def watched(self, tokens, label=None, metadata=None):
        sizes.append(len(label))
        return forward(self, tokens, label, metadata)

    monkeypatch.setattr(BasicClassifier, "forward", watched)
    limit = json.dumps({"validation_data_loader": {"batch_size": 2, "batches_per_epoch": 1}})
    for options, size in (["--batch-size", "7"], 7), (["--overrides", limit], 2):
        assert main(["evaluate", archive, "fixtures/reviews.csv", *options]) == 0
        assert max(sizes) == size and sum(sizes) == 300
        sizes.clear()


def test_the_columns_of_a_class():
    pairs = [("b", "b"), ("a", "a"), ("b", "a")]  # gold, predicted
    lines = list(evaluate._lines([Prediction(1, *pair) for pair in pairs], None))
    assert lines[0].split() == ["class", "precision", "recall", "F1", "gold"]
    assert lines[1].split() == ["b", "1.0000", "0.5000", "0.6667", "2"]


def test_a_language_model_has_no_place_for_new_words(tmp_path, capsys):
    """`evaluate` numbered them after those that the model can predict: an IndexError."""
    (tmp_path / "vectors.txt").write_text("a 1 5\ncat 2 1\nzebra 1 2\nox 3 2\n")
    (tmp_path / "old.txt").write_text("a cat\n")
    (tmp_path / "new.txt").write_text("ox zebra\n")
    embedder = {"type": "embedding", "embedding_dim": 2, "vectors": str(tmp_path / "vectors.txt")}
    reader = {"type": "simple_language_modeling", "tokenizer": "whitespace"}
    config = {
        "dataset_reader": {**reader, "start_tokens": ["<s>"], "end_tokens": ["</s>"]},
        "train_data_path": str(tmp_path / "old.txt"),
        "model": {
            "type": "language_model",
            "text_field_embedder": {"token_embedders": {"tokens": embedder}},
            "contextualizer": {"type": "lstm", "input_size": 2, "hidden_size": 3},
        },
        "data_loader": {"batch_size": 1},
        "trainer": {"num_epochs": 1, "optimizer": "adam"},
    }
    file = tmp_path / "config.json"
    file.write_text(json.dumps(config))
    assert main(["train", str(file), "-s", f"{tmp_path}/run"]) == 0
    assert main(["evaluate", f"{tmp_path}/run/model.tar.gz", f"{tmp_path}/new.txt"]) == 0
    assert "perplexity" in capsys.readouterr().out


@pytest.mark.parametrize(
    "key, value, message",
    [
        ("hidden_size", 3, r"_seq2vec_encoder\..* have the shape \[.*\], and \[.*\] by the config, exp"),
        (
            "layer_norm",
            True,
            r"are not those of the config \(.* Missing keys: \[.*…\), expected the same",
        ),
    ],
)
def test_overrides_that_the_weights_do_not_fit(classifier, capsys, key, value, message):
    overrides = json.dumps({f"model.seq2vec_encoder.{key}": value})
    archive = str(classifier / "model.tar.gz")
    assert main(["predict", archive, "fixtures/reviews.csv", "--overrides", overrides]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert re.match(f"error: the weights {message}", line)


def test_a_reader_of_another_package_may_read_csv(classifier):
    archive = evaluate.load_archive(classifier / "model.tar.gz")
    own = archive.validation_dataset_reader
    archive.model._label_namespace = "polarity_labels"
    assert (
        evaluate._reading_tables(archive).validation_dataset_reader._label_namespace == "polarity_labels"
    )
    own._combine_input_fields = True
    table = evaluate._reading_tables(archive).validation_dataset_reader
    assert table._tokenizer is own._tokenizer and table._combine_input_fields
    own.__class__ = type("Other", (type(own),), {})
    assert evaluate._reading_tables(archive) is archive


def test_entities_of_other_lengths_than_in_training(tmp_path, capsys):
    """The model knows their types, so that they are scored, and `correct` compares entities."""
    sentences = "Ada B-PER\nReyes I-PER\nworks O\n\nin O\nRome B-LOC\n. O\n\n"
    (tmp_path / "train.txt").write_text(sentences * 10)
    (tmp_path / "new.txt").write_text("Ada B-PER\nworks O\n\nin O\nNew B-LOC\nRome I-LOC\n")
    (tmp_path / "other.txt").write_text("Ada B-PER\nworks O\nin O\nRome B-GPE\n")
    data = ["--data", str(tmp_path / "train.txt"), "--dev", str(tmp_path / "train.txt")]
    assert main(["train", "ner_linear", *data, "-s", str(tmp_path / "run")]) == 0
    archive = str(tmp_path / "run/model.tar.gz")
    assert main(["evaluate", archive, str(tmp_path / "new.txt")]) == 0
    assert "f1-measure-overall" in capsys.readouterr().out
    assert main(["predict", archive, str(tmp_path / "new.txt")]) == 0
    for line in map(json.loads, capsys.readouterr().out.splitlines()):
        spans = [(span["text"], span["label"]) for span in line["spans"]]
        assert line["correct"] == (spans in ([("Ada", "PER")], [("New Rome", "LOC")]))
    assert main(["predict", archive, str(tmp_path / "other.txt")]) == 0
    assert "'GPE' is a label that the model does not know" in capsys.readouterr().err
    tagger = Tagger.load(tmp_path / "run", verbose=0)
    assert 0 <= tagger.score([["Ada", "works"]], [["B-PER", "O"]]) <= 1
    with pytest.raises(
        ValueError, match=r"y has 'per', expected classes of the model: \['LOC', 'PER'\]"
    ):
        tagger.score([["Ada", "works"]], [["B-per", "O"]])
