"""`slstm predict` reads ahead, batches texts of similar length, and loses no prediction."""

import io
import json
import sys
from unittest import mock

import pytest
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.common.util import SigTermReceived
from allennlp.predictors import Predictor

from slstm_allennlp.common.errors import CorpusError
from slstm_allennlp.console import predict
from slstm_allennlp.console.main import _parser, main
from slstm_allennlp.console.predict import PredictManager
from slstm_allennlp.predictors import text_input
from slstm_allennlp.predictors.text_input import TextInput
from tests.conftest import ROOT


@pytest.fixture
def batches(monkeypatch, predictors):
    """The lengths of the texts in each batch that a model gets."""
    seen = []
    for predictor in predictors.values():
        forward = predictor._model.forward_on_instances

        def watched(instances, forward=forward):
            lengths = [next(len(field) for field in instance.values()) for instance in instances]
            seen.append(lengths)
            return forward(instances)

        monkeypatch.setattr(predictor._model, "forward_on_instances", watched)
    return seen


def run(predictor, path, output, batch_size=None):
    PredictManager(predictor, str(path), str(output), batch_size, False, False).run()
    return [json.loads(line) for line in output.read_text().splitlines()]


FILES = {"tagger": "pos/dev.conllu", "classifier": "mr#test", "pairs": "snli/dev.jsonl"}


@pytest.mark.parametrize("name", FILES)
def test_as_one_by_one(predictors, batches, tmp_path, name):
    path, output = ROOT / "fixtures" / FILES[name], tmp_path / "out.jsonl"
    together = run(predictors[name], path, output)
    num_batches = len(batches)
    alone = run(predictors[name], path, output, batch_size=1)
    assert num_batches < len(batches) - num_batches == len(alone)
    for one, other in zip(together, alone, strict=True):
        found, expected = one.pop("probabilities", {}), other.pop("probabilities", {})
        assert found == pytest.approx(expected, rel=1e-4) and one == other


def test_batches_are_of_one_length_and_bounded(predictors, batches, monkeypatch):
    monkeypatch.setattr(text_input, "_MAX_BATCH_WORDS", 20)
    lengths = [3, 1, 30, 2, 9, 1, 3, 10]
    texts = [{"words": [f"w{number}"] * length} for number, length in enumerate(lengths)]
    outputs = predictors["tagger"].predict_batch_json(texts)
    assert [output["words"] for output in outputs] == [text["words"] for text in texts]
    assert [sorted(batch) for batch in batches] == [[1, 1, 2, 3, 3], [9, 10], [30]]


def test_larger_batches_on_a_gpu(predictors):
    model, read = torch.nn.Linear(1, 1), predictors["tagger"]._json_to_instance
    texts = [read({"words": ["a"] * 100})] * 30
    assert [len(batch) for batch in text_input.batches_by_length(texts, model)] == [5] * 6
    assert len(list(text_input.batches_by_length(texts, model.to("meta")))) == 1


def test_standard_input_is_predicted_line_by_line(predictors, batches, monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "stdin", io.StringIO("It rains\nRosa sleeps\n"))
    outputs = run(predictors["classifier"], "-", tmp_path / "out.jsonl")
    assert [output["words"] for output in outputs] == [["It", "rains"], ["Rosa", "sleeps"]]
    assert batches == [[2], [2]]


class Minimal(Predictor):
    """A predictor of another package. Its model cannot read an input with a number."""

    def __init__(self):
        super().__init__(torch.nn.Linear(1, 1), None)

    def predict_json(self, inputs):
        if inputs:
            raise CorpusError(f"it has {inputs}")
        return {"alone": True}

    def predict_batch_json(self, inputs):
        return [self.predict_json(each) for each in inputs]


class OfTranslation(Minimal):
    def predict(self, source):
        return self.predict_json({"source": source})


def test_the_options_reach_allennlp(monkeypatch, tmp_path):
    load, choose = mock.Mock(), mock.Mock(return_value=Minimal())
    monkeypatch.setattr(predict, "load_archive", load)
    monkeypatch.setattr(predict, "predictor_of", choose)
    (tmp_path / "in").write_text("{}\n")
    options = ["--weights-file", "w.th", "--predictor", "p", "--dataset-reader-choice", "train"]
    files = ["a.tar.gz", str(tmp_path / "in"), "--output-file", str(tmp_path / "out")]
    predict.predict(_parser().parse_args(["predict", *files, *options]))
    assert load.call_args.kwargs["weights_file"] == "w.th"
    chosen = mock.call(load.return_value, "p", dataset_reader_to_load="train", extra_args={})
    assert choose.call_args == chosen


def test_a_reader_that_leaves_out_a_part_says_so(classifier, tmp_path, capsys):
    limit, output = json.dumps({"dataset_reader.max_instances": 3}), tmp_path / "out"
    command = ["predict", str(classifier / "model.tar.gz"), "fixtures/mr#dev", "--use-dataset-reader"]
    assert main([*command, "--overrides", limit, "--silent", "--output-file", str(output)]) == 0
    assert len(output.read_text().splitlines()) == 3
    said = "fixtures/mr#dev: at most the first 3 are predicted (max_instances)"
    assert said in capsys.readouterr().err


def test_inputs_without_a_label_are_not_scored(predictors, tmp_path, caplog):
    caplog.set_level("INFO")
    path = tmp_path / "in.jsonl"
    path.write_text('{"sentence": "It rains", "label": "positive"}\n{"sentence": "Rosa sleeps"}\n')
    run(predictors["classifier"], path, tmp_path / "out.jsonl")
    assert " of 1 (" in caplog.text


@pytest.mark.parametrize("batch_size", (None, 3, 9))
def test_what_was_read_or_predicted_before_an_error_is_kept(predictors, tmp_path, caplog, batch_size):
    path, output = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    path.write_text('{"sentence": "It rains"}\n{"sentence": "Rosa sleeps"}\n{"sentence": 3}\n')
    output.write_text("the last ones")
    with pytest.raises(ValueError, match="line 3"):
        run(predictors["classifier"], path, output, batch_size)
    unfinished = tmp_path / "out.jsonl.unfinished"
    assert len(unfinished.read_text().splitlines()) == 2
    assert output.read_text() == "the last ones"
    assert f"The predictions so far are in {unfinished}" in caplog.text
    path.write_text("{}\n" * 4 + '{"number": 5}\n{}\n')
    with pytest.raises(CorpusError, match=r"in\.jsonl, input 5: it has {'number': 5}"):
        run(Minimal(), path, output, batch_size)
    assert unfinished.read_text() == '{"alone": true}\n' * 4


@pytest.mark.parametrize("where", ("_instance_of_words", "load_line"))
def test_a_signal_ends_it(predictors, tmp_path, monkeypatch, where):
    """It is no error of an input, whose group is predicted one by one, and of which those before are."""
    path, output = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    path.write_text('{"sentence": "It rains"}\n' * 3)
    own, calls = getattr(TextInput, where), []

    def stopped(self, given):
        calls.append(given)
        if len(calls) == 2:
            raise SigTermReceived
        return own(self, given)

    monkeypatch.setattr(TextInput, where, stopped)
    with pytest.raises(SigTermReceived):
        run(predictors["classifier"], path, output)
    assert len(calls) == 2 and not list(tmp_path.glob("out*"))


def test_other_predictors_have_one_json_object_at_a_time(tmp_path):
    """A blank line is an error: left out, the predictions after it would be of other lines."""
    path = tmp_path / "in.txt"
    path.write_text("\ufeff{}\n{}\n")
    assert run(Minimal(), path, tmp_path / "out.jsonl") == [{"alone": True}] * 2
    for name, kind in (("a JSON object", Minimal), ('{"source": "…"}', OfTranslation)):
        for line, what in (("a good film", "no JSON"), ("", "no JSON"), ("3", "no object")):
            path.write_text(f"{{}}\n{line}\n{{}}\n")
            takes = rf"{kind.__name__} takes {name} a line"
            other = r" \(--use-dataset-reader: a file as in training\)"
            message = rf"in\.txt, line 2: '{line}' is {what}, {takes}{other}$"
            with pytest.raises(CorpusError, match=message):
                run(kind(), path, tmp_path / "out.jsonl")
    given = str(path), None, None, True, False, None
    with pytest.raises(ConfigurationError, match="the model's reader reads JSON, expected text or"):
        PredictManager(Minimal(), *given, input_format="corpus").run()


@pytest.mark.parametrize("options, expected", (([], None), (["--batch-size", "1"], 1)))
def test_the_option(options, expected):
    assert _parser().parse_args(["predict", "model", "file", *options]).batch_size == expected
