"""AllenNLP's `distributed`: two processes, on one host or two, learn the same weights as one."""

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time

import pytest
import torch
from allennlp.commands.train import train_model
from allennlp.common import Params
from allennlp.models import load_archive

from slstm_allennlp.console.main import main
from tests.conftest import EMBEDDING, ROOT, train
from tests.training.conftest import tagger_config

SETTINGS = {
    EMBEDDING: 8,
    "model.seq2seq_encoder": {"type": "dropout", "input_dim": 8, "dropout": 0.0},
    "model.dropout": 0.0,
    "dataset_reader.max_instances": 40,
    "evaluate_on_test": False,
    "trainer.num_epochs": 2,
    "trainer.optimizer.weight_decay": 0.0,
}
SLSTM = {"type": "slstm", "input_size": 8, "hidden_size": 8, "num_steps": 3}
CAS_LSTM = {"type": "cas_lstm", "input_size": 8, "hidden_size": 4, "bidirectional": True}
ONE, HALF = ({"data_loader": {"batch_size": size, "shuffle": False}} for size in (10, 5))
TWO = {"cuda_devices": [-1, -1], "num_nodes": 1}


def test_two_processes_learn_what_one_does(tmp_path):
    """A batch of ten in one process equals two batches of five, each with every second sentence."""
    encoder = {"type": "compose", "seq2seq_encoder": CAS_LSTM, "seq2vec_encoder": SLSTM}
    settings = {**SETTINGS, "model.seq2vec_encoder": encoder}
    train(tmp_path / "one", "mr_slstm", {**settings, **ONE})
    train(tmp_path / "two", "mr_slstm", {**settings, **HALF, "distributed": TWO})
    assert_same_weights(tmp_path / "two", tmp_path / "one")


def tagger(folder, tags):
    """Return the config of a tagger with a CRF in two processes, on sentences of one word."""
    path = folder / "data.txt"
    path.write_text("".join(f"word{number}###{tag}\n" for number, tag in enumerate(tags)))
    config = tagger_config(path, **HALF, validation_data_path=str(path), distributed=dict(TWO))
    config["model"].update(type="crf_tagger", encoder={"type": "slstm", "hidden_size": 4})
    del config["trainer"]["cuda_device"]
    return config


def test_sentences_of_one_word_have_no_transitions(tmp_path):
    """Their weights would get no gradient, for which the processes wait."""
    config = tagger(tmp_path, "ABBA" * 3)
    train_model(Params(config), str(tmp_path / "run"))
    assert (tmp_path / "run/model.tar.gz").exists()


def test_a_mistake_in_a_process_is_one_sentence(tmp_path, capsys):
    config = tagger(tmp_path, ["B-X", "O"] * 6)
    config["model"].update(label_encoding="BIO", calculate_span_f1=True)
    (tmp_path / "config.json").write_text(json.dumps(config))
    assert main(["train", str(tmp_path / "config.json"), "-s", str(tmp_path / "run")]) == 2
    *_, line = capsys.readouterr().err.splitlines()
    assert line.startswith("error: training is distributed, and AllenNLP's F1 of entities is not: ")


def assert_same_weights(*runs):
    weights, expected = (load_archive(run / "model.tar.gz").model.state_dict() for run in runs)
    assert weights.keys() == expected.keys()
    for key, tensor in expected.items():
        torch.testing.assert_close(weights[key], tensor, atol=1e-4, rtol=0, msg=key)


KILLING = """
import os, signal, time
import torch.distributed
from allennlp.training import TrainerCallback

@TrainerCallback.register("killing")
class Killing(TrainerCallback):
    def on_batch(self, trainer, *arguments, is_training, **options):
        is_victim = torch.distributed.get_rank() == int(os.environ["VICTIM"])
        if is_victim and is_training and trainer._epochs_completed == 1:
            print(f"killed at {time.time()}", flush=True)
            os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def training(tmp_path):
    """Start a training. The process with the rank `victim`, if any, is killed in its second epoch."""
    (tmp_path / "killing.py").write_text(KILLING)
    with contextlib.ExitStack() as stack:

        def start(name, victim, distributed, *options):
            settings = {**SETTINGS, **HALF, "model.seq2vec_encoder": SLSTM, "distributed": distributed}
            settings["trainer.callbacks"] = ["killing"]
            path = os.pathsep.join([str(tmp_path), str(ROOT)])
            command = [sys.executable, "-m", "slstm_allennlp.console", "train"]
            command += ["training_config/mr_slstm.jsonnet", "--include-package", "killing"]
            command += ["--overrides", json.dumps(settings), "-s", str(tmp_path / name), *options]
            log = stack.enter_context((tmp_path / f"{name}.log").open("w"))
            streams = {"stdout": log, "stderr": log, "start_new_session": True}
            environment = {**os.environ, "PYTHONPATH": path, "VICTIM": str(victim)}
            process = subprocess.Popen(command, cwd=ROOT, env=environment, **streams)
            stack.enter_context(process)
            stack.callback(kill_group, process)
            return process

        yield start


def kill_group(process):
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def expect_they_end(processes, logs):
    """The processes end soon after one of them was killed."""
    for process in processes:
        process.wait(timeout=240)
    (killed,) = re.findall(r"killed at ([\d.]+)", "".join(log.read_text() for log in logs))
    assert time.time() - float(killed) < 60


@pytest.mark.slow
@pytest.mark.parametrize("victim", (0, 1))
def test_a_process_that_is_killed(tmp_path, training, victim):
    process = training("run", victim, TWO)
    log = tmp_path / "run.log"
    expect_they_end([process], [log])
    assert process.returncode == 2
    (message,) = [line for line in log.read_text().splitlines() if line.startswith("error: ")]
    said = f"error: process {victim} of the distributed training was ended by SIGKILL"
    assert message.startswith(said)
    assert (tmp_path / "run" / "training_state_e1_b0.th").exists()
    if victim:  # once is enough: recovery does not depend on the victim
        process = training("run", -1, TWO, "--recover")
        assert process.wait(timeout=240) == 0, log.read_text()


@pytest.fixture
def two_nodes():
    """The setting of two nodes with one process each, as on two hosts."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = {"primary_address": "127.0.0.1", "primary_port": free.getsockname()[1]}
    return {"cuda_devices": [-1], "num_nodes": 2, **address}


@pytest.mark.slow
def test_two_nodes_learn_what_one_process_does(tmp_path, training, two_nodes):
    train(tmp_path / "one", "mr_slstm", {**SETTINGS, **ONE, "model.seq2vec_encoder": SLSTM})
    ranks = ("0", "1")
    for process in [training(f"node-{rank}", -1, two_nodes, "--node-rank", rank) for rank in ranks]:
        assert process.wait(timeout=240) == 0, (tmp_path / "node-0.log").read_text()
    for rank in ranks:
        assert_same_weights(tmp_path / f"node-{rank}", tmp_path / "one")


@pytest.mark.slow
def test_a_process_of_another_host_that_is_killed(tmp_path, training, two_nodes):
    """Each process has its own parent, which does not know the other process."""
    processes = [training(f"node-{rank}", 1, two_nodes, "--node-rank", str(rank)) for rank in range(2)]
    logs = [tmp_path / f"node-{rank}.log" for rank in range(2)]
    expect_they_end(processes, logs)
    assert all(process.returncode for process in processes)
    assert "was ended by SIGKILL" in logs[1].read_text()
    assert re.search("Connection (closed|reset) by peer", logs[0].read_text())
