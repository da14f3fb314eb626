"""A mistake of the user's is one sentence, and its traceback is in the log."""

import json

import pytest
import torch
from allennlp.common import util

from slstm_allennlp.console.main import main

ENCODER = "model__seq2vec_encoder"
LSTM = {"type": "lstm", "input_size": 8, "hidden_size": 5}
FEEDFORWARD = {"input_dim": 10, "num_layers": 1, "hidden_dims": 5, "activations": "relu"}
ESIM = {
    "dataset_reader": {"type": "snli", "tokenizer": {"type": "spacy_blank"}},
    "train_data_path": "train.jsonl",
    "model": {
        "type": "esim",
        "text_field_embedder": {"token_embedders": {"tokens": {"embedding_dim": 8}}},
        "encoder": {"type": "slstm", "input_size": 8, "hidden_size": 8},
        "matrix_attention": "dot_product",
        "projection_feedforward": {**FEEDFORWARD, "input_dim": 64},
        "inference_encoder": {"type": "slstm", "input_size": 5, "hidden_size": 8},
        "output_feedforward": {**FEEDFORWARD, "input_dim": 64},
        "output_logit": {**FEEDFORWARD, "input_dim": 5},
    },
    "data_loader": {"batch_size": 2},
    "trainer": {"optimizer": "adam", "num_epochs": 1},
}
NUMBERED = {"type": "pass_through", "num": 5}

# In the values of a config. In the keys, `__` stands for a dot.
IN_A_CONFIG = [
    ({f"{ENCODER}__num_step": 3}, "did you mean 'num_steps'?"),
    ({f"{ENCODER}__type": "slsmt"}, "model.seq2vec_encoder.type is 'slsmt', did you mean 'slstm'?"),
    ({f"{ENCODER}__transition": "balance"}, "'balance', did you mean 'balanced'?"),
    ({f"{ENCODER}__num_layers": 2, f"{ENCODER}__bias": True}, 'no keys "bias", "num_layers": '),
    (
        {ENCODER: {**LSTM, "hiden_size": 5, "num_layer": 2}},
        "error: model.seq2vec_encoder.hiden_size is no key of LstmSeq2VecEncoder, did you mean "
        "'hidden_size'?; model.seq2vec_encoder.num_layer is no key of LstmSeq2VecEncoder, did you mean "
        "'num_layers'?",
    ),
    ({ENCODER: {**LSTM, "z": 1}}, "z is no key of LstmSeq2VecEncoder, expected one of 'input_size', "),
    (
        {"model__seq2seq_encoder": {"type": "compose", "encoders": [NUMBERED]}},
        "error: model.seq2seq_encoder.encoders.0.num is no key of PassThroughEncoder, expected one of ",
    ),
    ({"dataset_reader__type": "zzz"}, "zzz not in acceptable choices for dataset_reader.type: ["),
    ({"model__feedforward": {**FEEDFORWARD, "input_dim": 20}}, "gives 10, model.feedforward.input_dim "),
    ({"train_data_path": "nowhere.jsonl"}, "nowhere.jsonl: cannot be read"),
    ({"data_loader": {"batch_size": 0}}, "error: data_loader: batch_size must be at least 1"),
    ({"trainer__num_epochs": "three"}, "Expected num_epochs to be a int. "),
    ({"trainer__num_epoch": 3}, "trainer.num_epoch is no key of "),
    ({"trainer__num_epoch": 3, "train_data_path": "nowhere.jsonl"}, "trainer.num_epoch is no key of "),
    ({"dataset_reader": {"type": "tagged_text"}}, "error: train.jsonl, line 1: 1 column between tabs,"),
    ({"dataset_reader": {"type": "sequence_tagging"}}, "error: train.jsonl: not enough values to unp"),
]
# These are known before the output folder is made.
BEFORE_THE_WORK = [
    ({"trainer__cuda_device": 99}, "trainer.cuda_device is 99, and PyTorch sees "),
    ({"trainer__cuda_device": "cuda:0"}, "trainer.cuda_device is 'cuda:0', expected a number, -1 for"),
    ({"trainer__cuda_device": [0, 1]}, "trainer.cuda_device is [0, 1], expected a number, -1 for the"),
    (
        {"data_loader": {"batch_sampler": {"type": "bucket", "batch_size": 0}}},
        "data_loader.batch_sampler.batch_size is 0, expected 1 or more",
    ),
    ({"distributed": {"cuda_devices": [98, 99]}}, "distributed.cuda_devices is 98, and PyTorch sees "),
    (
        {"distributed": [-1, -1], "evaluate_on_test": True, "test_data_path": "dev.jsonl"},
        "evaluate_on_test is true, expected false with distributed training",
    ),
]


@pytest.mark.parametrize("keys, message", [*IN_A_CONFIG, *BEFORE_THE_WORK], ids=str)
def test_in_a_config(folder, changed, capsys, keys, message):
    changed(**keys)
    assert main(["train", "mine.json", "-s", "run"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("error: ") and message in line
    if (keys, message) in BEFORE_THE_WORK:
        assert not (folder / "run").exists()
    else:
        # Nothing was trained there, so a second attempt needs no --force.
        assert main(["train", "mine.json", "-s", "run"]) == 2
        assert capsys.readouterr().err.splitlines() == [line]
        assert "Traceback (most recent call last)" in (folder / "run" / "out.log").read_text()


def test_a_metric_that_the_model_does_not_have(changed, capsys):
    """A warning before the first epoch, and an error after it."""
    changed(trainer__validation_metric="+acuracy")
    assert main(["train", "mine.json", "-s", "run"]) == 2
    first, *_, last = capsys.readouterr().err.splitlines()
    said = "trainer.validation_metric is acuracy, which the model does not have"
    assert first == f"warning: {said} so far, did you mean 'accuracy'?"
    assert last == f"error: {said}, did you mean 'accuracy'?"


@pytest.mark.parametrize(
    "command, message",
    [
        ("train nowhere.json", "nowhere.json"),
        ("train broken.jsonnet", "broken.jsonnet:1:"),
        ("train mr_slsm", "no file mr_slsm and no config of that name, did you mean 'mr_slstm'?"),
        ("train train.jsonl", "train.jsonl is no config, expected one (own data: slstm train CONFIG"),
        ("train .", ". is a folder, expected a config, such as ./config.json"),
        ("train list.json", "list.json: it is no object, expected a config"),
        ("predict nowhere.tar.gz dev.jsonl", "nowhere.tar.gz"),
        ("predict nowhere.tar.gz dev.jsonl --cuda-device 99", "--cuda-device is 99, and "),
        ("predict nowhere.tar.gz dev.jsonl --silent", "--silent without --output-file"),
        ("predict a.tar.gz b --output-file no/p", "--output-file is no/p, and there is no "),
        ("predict a.tar.gz b --predictor-args {", "--predictor-args is no JSON: Expect"),
        ("evaluate nowhere.tar.gz dev.jsonl", "nowhere.tar.gz"),
        ("evaluate a.tar.gz a.csv#dev,a.csv#test", "expected files whose names differ before"),
        ("evaluate a.tar.gz b,c --output-file d,d", "is d,d, expected a file of its own"),
        (
            "evaluate a.tar.gz b --output-file d --predictions-output-file d",
            "the metrics and the predictions would both be written to d, expected two files",
        ),
        ("evaluate a.tar.gz b,c --output-file d", "--output-file names 1 file, expected 2"),
        ("print-results used", "--keys is not given, expected names of metrics, such as --keys b"),
        ("print-results no -k loss", "there is no folder no, expected one with trainings"),
        ("find-lr mine.json -s new --start-lr -1", "--start-lr is -1 and --end-lr 10, expected a start"),
        ("find-lr mine.json -s new --start-lr 1 --end-lr 0.1", "is 1 and --end-lr 0.1, expected a st"),
        ("build-vocab mine.json new", "the output is new, expected a file that ends in .tar.gz"),
        ("build-vocab mine.json used.tar.gz", "used.tar.gz exists, expected another file, or --force"),
        ("diff mine.json best.th", "mine.json is no file of weights, expected one such as best.th in "),
        ("count-instances mine.json -o {}", "--overrides is {}, which AllenNLP's count-instances does"),
        ("predict a.tar.gz b --batch-size 0", "--batch-size is 0, expected 1 or more"),
        ("evaluate a.tar.gz b --batch-size -3", "--batch-size is -3, expected 1 or more"),
        (
            "evaluate a.tar.gz b --predictions-output-file no/lines",
            "--predictions-output-file is no/lines, and there is no folder no, expected one",
        ),
        ('train mine.json -o {"trainer":', "--overrides is no JSON: "),
        ("evaluate a.tar.gz b -o [1]", "--overrides is [1], expected a JSON object"),
        ('train mine.json -o {"a.b.c":1}', "--overrides: overrides dict contains unused"),
        ("train mine.json -s used", "the output folder used exists and is not empty: -f ("),
        ("train own/config.json -s own", "the output folder own exists and is not empty: -f ("),
        ("find-lr mine.json -s used", "the output folder used exists and is not empty: -f ("),
        ("train mine.json -s used --recover", "--recover: the folder used has no config"),
        ("train mine.json -s new --recover", "--recover: the folder new has no config"),
        ("train mine.json -s new -r -f", "--recover and --force are both given"),
        ("train mine.json -s used -f", "--force: used is not the output folder of a training"),
        ("train mine.json -s . -f", "--force would delete train.jsonl, expected another folder"),
        (
            'train mine.json -s own -f -o {"test_data_path":"own/test.jsonl"}',
            "--force would delete own/test.jsonl, expected another folder",
        ),
        ("train mine.json --data a --data b", "--data is given 2 times, expected once"),
        ("predict a.tar.gz dev.jsonl --output-file ./dev.jsonl", "is ./dev.jsonl, the input file, exp"),
        ("evaluate a.tar.gz dev.jsonl --output-file dev.jsonl", "is dev.jsonl, the input file, expe"),
        ("evaluate a.tar.gz dev.preds --auto-names ALL", "--auto-names is dev.preds, the input file, e"),
        ("train mine.json -s mine.json/x", "mine.json/x cannot be made (Not a directory)"),
        (
            "train mine.json --include-package slstm_allenlp.modules",
            "--include-package is 'slstm_allenlp.modules', and Python finds no 'slstm_allenlp'",
        ),
    ],
)
def test_in_the_command_line(folder, capsys, command, message):
    (folder / "broken.jsonnet").write_text('{ "model": ')
    (folder / "list.json").write_text("[1]")
    (folder / "used.tar.gz").touch()
    (folder / "dev.preds").touch()
    (folder / "own").mkdir()
    (folder / "own" / "config.json").write_text((folder / "mine.json").read_text())
    (folder / "used").mkdir()
    (folder / "used" / "mine").write_text("")
    assert main(command.split()) == 2
    console = capsys.readouterr()
    (line,) = console.err.splitlines()
    assert line.startswith("error: ") and message in line and console.out == ""
    assert (folder / "used" / "mine").exists() and not (folder / "new").exists()
    assert (folder / "own" / "config.json").exists()


@pytest.mark.parametrize(
    "command, message",
    [
        ("train --data dev.jsonl", "the following arguments are required: config (help: slstm train -"),
        (
            "predict a b --outputfile c",
            "unrecognized arguments: --outputfile c, did you mean --output-f",
        ),
        ("predict a b --input-format txt", "argument --input-format: invalid choice: 'txt' (choose fro"),
        ("trian mine.json", "argument COMMAND: invalid choice: 'trian' (choose from "),
        ("train mine.json --data", "argument --data: expected one argument (help: slstm train --help)"),
    ],
)
def test_options_that_are_none(folder, capsys, command, message):
    with pytest.raises(SystemExit, match="2"):
        main(command.split())
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"error: {message}")


@pytest.mark.parametrize("count, available", [(0, "no GPU here, expected -1 for the CPU"), (1, "1 GPU")])
def test_a_gpu_that_is_not_there(folder, monkeypatch, capsys, count, available):
    monkeypatch.setattr(torch.cuda, "device_count", lambda: count)
    assert main(["evaluate", "model.tar.gz", "dev.jsonl", "--cuda-device", "1"]) == 2
    assert f"--cuda-device is 1, and PyTorch sees {available}" in capsys.readouterr().err


@pytest.mark.parametrize("error", [ConnectionError("no network"), SystemExit(1)])
def test_no_tokenizer_and_no_network(changed, monkeypatch, capsys, error):
    def download(*_):
        raise error

    monkeypatch.setattr(util, "spacy_download", download)
    changed(dataset_reader={"type": "text_classification_json"})
    assert main(["train", "mine.json", "-s", "run"]) == 2
    line = capsys.readouterr().err.splitlines()[-1]
    assert line.startswith("error: the spaCy model en_core_web_sm is not installed and could not be fet")
    assert '"tokenizer": {"type": "spacy_blank"}' in line


LONG = " ".join(["word"] * 20)
EVALUATE = ["evaluate", "run/model.tar.gz", "new.jsonl"]
LAZY = {
    "vocabulary": {"type": "from_files", "directory": "run/vocabulary"},
    "validation_data_path": "new.jsonl",
    "data_loader.max_instances_in_memory": 8,
}


@pytest.mark.parametrize(
    "text, command, shown",
    [
        ("a good film", EVALUATE, ' ("a good film")'),
        (LONG, EVALUATE, ' ("' + "word " * 12 + '…")'),
        (LONG, ["train", "mine.json", "-s", "lazy", "-o", json.dumps(LAZY)], ""),
    ],
)
def test_a_label_that_the_model_does_not_know(folder, capsys, text, command, shown):
    assert main(["train", "mine.json", "-s", "run"]) == 0
    (folder / "new.jsonl").write_text(json.dumps({"text": text, "label": "perhaps"}))
    capsys.readouterr()
    assert main(command) == 2
    assert capsys.readouterr().err == (
        f"error: new.jsonl, sentence 1{shown}: 'perhaps' is a label that the model does not know "
        "(labels), expected one of yes, no\n"
    )


def test_a_pair_under_other_keys_and_arguments_that_the_predictor_does_not_have(folder, capsys):
    pair = {"sentence1": "It rains", "sentence2": "It is wet"}
    (folder / "train.jsonl").write_text(json.dumps({**pair, "gold_label": "neutral"}))
    (folder / "pairs.jsonl").write_text(json.dumps(pair))
    (folder / "mine.json").write_text(json.dumps(ESIM))
    assert main(["train", "mine.json", "-s", "run"]) == 2
    message = capsys.readouterr().err
    assert "got 32 and 64 instead: an S-LSTM's output has hidden_size numbers, half of" in message
    doubled = {"model.encoder.hidden_size": 16, "model.inference_encoder.hidden_size": 16}
    assert main(["train", "mine.json", "-s", "run", "-f", "-o", json.dumps(doubled)]) == 0
    capsys.readouterr()
    command = ["predict", "run/model.tar.gz", "pairs.jsonl"]
    assert main(command) == main([*command, "--predictor-args", '{"a": 1}']) == 2
    keys, arguments = capsys.readouterr().err.splitlines()[-2:]
    expected = "the keys are sentence1, sentence2, expected premise, too, which TextualEntailmentPred"
    assert keys.startswith(f"error: pairs.jsonl, input 1: {expected}")
    assert arguments.startswith('error: --predictor-args is {"a": 1}: Predictor.__init__() got an unex')


def test_with_its_traceback(changed, capsys):
    changed(model__seq2vec_encoder__num_step=3)
    assert main(["train", "mine.json", "-s", "run", "--verbose"]) == 2
    err = capsys.readouterr().err
    assert "Traceback (most recent call last)" in err
    assert err.splitlines()[-1].endswith("did you mean 'num_steps'?")
