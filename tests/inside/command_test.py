"""allennlp slstm-inside, as a user types it."""

import json
import re

import pytest
from allennlp.common.checks import ConfigurationError

from tests.conftest import ROOT


@pytest.fixture
def inside(allennlp, tmp_path):
    """Run the command in this process, check that its page has the report, and return the report."""

    def run(archive, sentences, *options):
        command = ["slstm-inside", archive / "model.tar.gz", sentences, *options]
        allennlp(*command, "--output-dir", tmp_path / "out")
        report = json.loads((tmp_path / "out" / "inside.json").read_text())
        page = (tmp_path / "out" / "inside.html").read_text()
        (data,) = re.findall(r'<script type="application/json" id="report">(.*)</script>', page)
        assert json.loads(data) == report
        return report

    return run


def test_a_classifier_and_plain_text(inside, classifier, tmp_path, capsys):
    sentences = tmp_path / "sentences.txt"
    sentences.write_text("A good film .\n\n</script> bad\n")
    report = inside(classifier, sentences)
    first, blank, second = report["inputs"]
    assert blank["input"] == {"sentence": ""} and blank["readings"] == []
    assert first["input"] == {"sentence": "A good film ."}
    assert first["prediction"]["label"] in ("positive", "negative")
    (reading,) = first["readings"]
    assert (reading["encoder"], reading["field"]) == ("_seq2vec_encoder", "tokens")
    assert reading["words"] == ["⟨s⟩", *first["prediction"]["words"], "⟨/s⟩"]
    assert reading["words"][1:-1] == ["A", "good", "film", "."]
    assert second["readings"][0]["words"][1:-1] == second["prediction"]["words"]
    assert reading["steps"] == len(reading["change"]) == 9 and reading["taken"] == "sentence"
    settings = report["encoders"]["_seq2vec_encoder"]
    assert settings["hidden_size"] == 10 and settings["transition"]["boundary"] is True
    out = capsys.readouterr().out
    assert "⟨s⟩ A good film . ⟨/s⟩\n  _seq2vec_encoder, 9 steps; words change " in out
    assert "inside.html" in out


def test_the_format_is_the_given_one(inside, classifier, tmp_path):
    path = tmp_path / "sentences.txt"
    path.write_text('{"sentence": "bad"}\n')
    read = [
        inside(classifier, path, *given)["inputs"][0]["input"]
        for given in ((), ("--input-format", "text"))
    ]
    assert read == [{"sentence": "bad"}, {"sentence": '{"sentence": "bad"}'}]


def test_a_sample_is_of_texts(inside, classifier, tmp_path):
    """All lines are read if there are fewer."""
    path = tmp_path / "sentences.txt"
    path.write_text("A film .\n\n\n\nBad .\n")
    for number, read in ((1, 1), (2, 5), (3, 5)):
        inputs = inside(classifier, path, "--sample", number)["inputs"]
        assert len(inputs) == read and sum(bool(each["readings"]) for each in inputs) == min(2, number)


def test_a_tagger_beyond_its_steps(inside, tagger):
    report = inside(tagger, ROOT / "fixtures" / "pos" / "raw.jsonl", "--more-steps", 4)
    for result in report["inputs"]:
        (reading,) = result["readings"]
        assert reading["words"][1:-1] == result["prediction"]["words"]
        assert len(result["prediction"]["tags"]) == len(reading["words"]) - 2
        assert reading["steps"] == 7 and len(reading["change"]) == 11 and reading["taken"] == "words"


def test_both_sentences_of_a_pair(inside, pair_classifier):
    path = ROOT / "fixtures" / "snli" / "raw.jsonl"
    report = inside(pair_classifier, path, "--sample", 2, "--seed", 3)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert len(report["inputs"]) == 2 < len(lines)
    for result in report["inputs"]:
        assert result["input"] in lines
        assert [reading["field"] for reading in result["readings"]] == ["premise", "hypothesis"]
        for reading in result["readings"]:
            text = result["input"][reading["field"]]
            assert "".join(reading["words"][1:-1]) == text.replace(" ", "")


def test_a_file_without_words(inside, tagger, tmp_path):
    (tmp_path / "blank.txt").write_text("\n \n")
    with pytest.raises(ConfigurationError, match="no words in the file, expected sentences"):
        inside(tagger, tmp_path / "blank.txt")
    assert not [*tmp_path.glob("out/*")]


def test_the_output_folder_is_a_file(inside, tmp_path):
    """The error comes before the archive is opened: here there is no archive."""
    (tmp_path / "out").write_text("")
    with pytest.raises(ConfigurationError, match=r"out cannot be made .*--output-dir names"):
        inside(tmp_path, "fixtures/pos/raw.jsonl")


def test_an_archive_without_an_slstm(inside, trained):
    linear = trained("mr_linear", "mr_linear", {"dataset_reader.max_instances": 60})
    with pytest.raises(ConfigurationError, match=r"model\.tar\.gz: LinearClassifier has no S-LSTM"):
        inside(linear, ROOT / "fixtures" / "mr" / "raw.jsonl")


@pytest.mark.parametrize("option", "--tolerance=0 --tolerance=1 --tolerance=a --more-steps=-1".split())
def test_options_out_of_range(inside, tagger, option, capsys):
    with pytest.raises(SystemExit):
        inside(tagger, "sentences.txt", option)
    name, _, value = option.partition("=")
    numbers = "of at least 1" if name == "--more-steps" else "between 0 and 1"
    assert f"{name}: it is '{value}', expected a number {numbers}" in capsys.readouterr().err
