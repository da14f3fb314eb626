"""AllenNLP's `distributed`: two processes, on one host or two, learn the same weights as one."""

import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time

import pytest
import torch
from allennlp.models import load_archive

from tests.conftest import ROOT, train

SETTINGS = {
    "model.text_field_embedder.token_embedders.tokens.embedding_dim": 8,
    "model.seq2seq_encoder": {"type": "dropout", "input_dim": 8, "dropout": 0.0},
    "model.dropout": 0.0,
    "dataset_reader.max_instances": 40,
    "evaluate_on_test": False,
    "trainer.num_epochs": 2,
    "trainer.optimizer.weight_decay": 0.0,
}
SLSTM = {"type": "slstm", "input_size": 8, "hidden_size": 8, "num_steps": 3}
CAS_LSTM = {"type": "cas_lstm", "input_size": 8, "hidden_size": 4, "bidirectional": True}


def test_two_processes_learn_what_one_does(tmp_path):
    """A batch of ten in one process equals two batches of five, each with every second sentence."""
    encoder = {"type": "compose", "seq2seq_encoder": CAS_LSTM, "seq2vec_encoder": SLSTM}
    settings = {**SETTINGS, "model.seq2vec_encoder": encoder}
    one = {"data_loader": {"batch_size": 10, "shuffle": False}}
    two = {
        "data_loader": {"batch_size": 5, "shuffle": False},
        "distributed": {"cuda_devices": [-1, -1], "num_nodes": 1},
    }
    for folder, loading in (("one", one), ("two", two)):
        train(tmp_path / folder, "mr_slstm", {**settings, **loading})
    assert_same_weights(tmp_path / "two", tmp_path / "one")


def assert_same_weights(*runs):
    weights, expected = (load_archive(run / "model.tar.gz").model.state_dict() for run in runs)
    assert weights.keys() == expected.keys()
    for key, tensor in expected.items():
        torch.testing.assert_close(weights[key], tensor, atol=1e-4, rtol=0, msg=key)


# Two network namespaces, joined by a veth pair: two hosts that reach only each other.
ADDRESSES = ("10.9.0.1", "10.9.0.2")


@pytest.fixture
def hosts():
    """For each host, the prefix of a command that runs there."""
    if shutil.which("ip") is None:
        pytest.skip("there is no `ip` command (Debian's iproute2)")
    names = [f"slstm-{os.getpid()}-{number}" for number in range(2)]
    ends = [f"eth{number}" for number in range(2)]
    with contextlib.ExitStack() as stack:
        for name in names:
            made = subprocess.run(["ip", "netns", "add", name], capture_output=True, text=True)
            if made.returncode:
                pytest.skip(f"cannot make network namespaces here: {made.stderr.strip()}")
            stack.callback(subprocess.run, ["ip", "netns", "delete", name], check=True)
        cable = f"ip link add eth0 netns {names[0]} type veth peer name eth1 netns {names[1]}"
        made = subprocess.run(cable.split(), capture_output=True, text=True)
        if made.returncode:
            pytest.skip(f"cannot make a veth pair here: {made.stderr.strip()}")
        for name, end, address in zip(names, ends, ADDRESSES):
            for settings in (f"addr add {address}/24 dev {end}", f"link set {end} up", "link set lo up"):
                subprocess.run(["ip", "-netns", name, *settings.split()], check=True)
        yield [
            ["ip", "netns", "exec", name, "env", f"GLOO_SOCKET_IFNAME={end}"]
            for name, end in zip(names, ends)
        ]


@pytest.mark.slow
def test_two_hosts_learn_what_one_does(tmp_path, hosts):
    settings = {**SETTINGS, "model.seq2vec_encoder": SLSTM}
    train(
        tmp_path / "one", "mr_slstm", {**settings, "data_loader": {"batch_size": 10, "shuffle": False}}
    )
    settings["data_loader"] = {"batch_size": 5, "shuffle": False}
    settings["distributed"] = {
        "cuda_devices": [-1],
        "num_nodes": 2,
        "primary_address": ADDRESSES[0],
        "primary_port": 29500,
    }
    command = [sys.executable, "-m", "allennlp", "train", "training_config/mr_slstm.jsonnet"]
    command += ["--include-package", "slstm_allennlp", "--overrides", json.dumps(settings)]
    runs = [tmp_path / f"node-{rank}" for rank in range(2)]
    with contextlib.ExitStack() as stack:
        processes = []
        for rank, (host, run) in enumerate(zip(hosts, runs)):
            log = stack.enter_context((tmp_path / f"{rank}.log").open("w"))
            ours = [*host, *command, "--serialization-dir", str(run), "--node-rank", str(rank)]
            process = subprocess.Popen(ours, cwd=ROOT, stdout=log, stderr=subprocess.STDOUT)
            processes.append(stack.enter_context(process))
            stack.callback(process.kill)  # if it is still running
        deadline = time.monotonic() + 300
        while any(process.poll() is None for process in processes) and time.monotonic() < deadline:
            if any(process.poll() for process in processes):
                break  # the other one would wait for it
            time.sleep(0.2)
        logs = "".join((tmp_path / f"{rank}.log").read_text() for rank in range(2))
        assert [process.poll() for process in processes] == [0, 0], logs
    for run in runs:
        assert_same_weights(run, tmp_path / "one")


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
MOST_SECONDS = 60


@pytest.fixture
def training(tmp_path):
    """Start a training in which the process with the rank `victim` is killed in its second epoch."""
    (tmp_path / "killing.py").write_text(KILLING)
    with contextlib.ExitStack() as stack:

        def start(name, victim, distributed, *options):
            settings = {
                **SETTINGS,
                "model.seq2vec_encoder": SLSTM,
                "data_loader": {"batch_size": 5},
                "trainer.callbacks": ["killing"],
                "distributed": distributed,
            }
            path = os.pathsep.join([str(tmp_path), str(ROOT)])
            command = [sys.executable, "-m", "slstm_allennlp.console", "train"]
            command += ["training_config/mr_slstm.jsonnet", "--include-package", "killing"]
            command += ["--overrides", json.dumps(settings), "-s", str(tmp_path / name), *options]
            log = stack.enter_context((tmp_path / f"{name}.log").open("w"))
            process = subprocess.Popen(
                command,
                cwd=ROOT,
                env={**os.environ, "PYTHONPATH": path, "VICTIM": str(victim)},
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            stack.enter_context(process)
            stack.callback(kill_group, process)
            return process

        yield start


def kill_group(process):
    """Kill a process and its children, if any still run."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def seconds_until_they_ended(processes, logs):
    """Wait for the processes, and return the seconds from the kill until the last one ended."""
    for process in processes:
        process.wait(timeout=240)
    ended = time.time()
    (killed,) = re.findall(r"killed at ([\d.]+)", "".join(log.read_text() for log in logs))
    return ended - float(killed)


@pytest.mark.slow
@pytest.mark.parametrize("victim", (0, 1))
def test_a_process_that_is_killed(tmp_path, training, victim):
    process = training("run", victim, {"cuda_devices": [-1, -1], "num_nodes": 1})
    log = tmp_path / "run.log"
    assert seconds_until_they_ended([process], [log]) < MOST_SECONDS
    assert process.returncode == 2
    (message,) = [line for line in log.read_text().splitlines() if line.startswith("error: ")]
    assert message.startswith(
        f"error: process {victim} of the distributed training was ended by SIGKILL"
    )
    assert (tmp_path / "run" / "training_state_e1_b0.th").exists()
    if victim:  # once is enough: recovery does not depend on the victim
        process = training("run", -1, {"cuda_devices": [-1, -1], "num_nodes": 1}, "--recover")
        assert process.wait(timeout=240) == 0, log.read_text()


@pytest.mark.slow
def test_a_process_of_another_host_that_is_killed(tmp_path, training):
    """Each process has its own parent, which does not know the other process."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    distributed = {"cuda_devices": [-1], "num_nodes": 2}
    distributed.update(primary_address="127.0.0.1", primary_port=port)
    processes = [training(f"node-{rank}", 1, distributed, "--node-rank", str(rank)) for rank in range(2)]
    logs = [tmp_path / f"node-{rank}.log" for rank in range(2)]
    assert seconds_until_they_ended(processes, logs) < MOST_SECONDS
    assert all(process.returncode for process in processes)
    assert "was ended by SIGKILL" in logs[1].read_text()
    assert re.search("Connection (closed|reset) by peer", logs[0].read_text())
