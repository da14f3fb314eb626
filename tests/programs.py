"""
Run programs in forks of a process that has imported AllenNLP and the plugin: a new interpreter needs
seconds for these imports. Commands and options are those of `subprocess`. Use `subprocess` itself to
test what is imported, or which names are registered without a flag.
"""

import contextlib
import io
import multiprocessing
import os
import runpy
import subprocess
import sys
import tempfile
import types
from multiprocessing import reduction
from unittest import mock

import pytest

from tests.conftest import ROOT

_forks = multiprocessing.get_context("forkserver")
_forks.set_forkserver_preload(["tests.preloaded"])


def run(command, *, cwd=None, env=None):
    """Like `subprocess.run` with `capture_output=True, text=True`."""
    with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        status = Popen(command, cwd=cwd, env=env, stdout=stdout, stderr=stderr).wait()
        texts = []
        for file in (stdout, stderr):
            file.seek(0)
            texts.append(file.read().decode())
    return subprocess.CompletedProcess(command, status, *texts)


def run_in_new_interpreter(command, **options):
    """Like `run`, but without a fork."""
    return subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, **options)


in_both_ways = pytest.mark.parametrize(
    "run", [run, pytest.param(run_in_new_interpreter, marks=pytest.mark.slow)]
)
"""Decorator for a test with an argument `run`. The new interpreter is slow."""


@contextlib.contextmanager
def popen_forks_in(module):
    """Replace `subprocess.Popen` in a module by the class below, within a `with` block."""
    forking = types.SimpleNamespace(**{**vars(subprocess), "Popen": Popen})
    with mock.patch.object(module, "subprocess", forking):
        yield


class Popen:
    """
    Like `subprocess.Popen`, for the commands `slstm ...`, `allennlp ...`, `python FILE ...`,
    `python -c CODE ...` and `python -m MODULE ...`.
    """

    def __init__(
        self,
        command,
        *,
        cwd=None,
        env=None,
        stdin=subprocess.DEVNULL,
        stdout=None,
        stderr=None,
        start_new_session=False,
        pass_fds=(),
    ):
        with contextlib.ExitStack() as stack:
            null = stack.enter_context(open(os.devnull, "r+b"))
            stdin, stdout, stderr = (
                null if file == subprocess.DEVNULL else file for file in (stdin, stdout, stderr)
            )
            stderr = stdout if stderr == subprocess.STDOUT else stderr
            streams = [stdin, sys.__stdout__ if stdout is None else stdout]
            streams.append(sys.__stderr__ if stderr is None else stderr)
            began, child_began = os.pipe()
            stack.callback(os.close, began)
            self._process = _forks.Process(
                target=_start,
                args=(
                    [str(word) for word in command],
                    str(cwd or os.getcwd()),
                    dict(os.environ if env is None else env),
                    [_Descriptor(file) for file in [*streams, child_began, *pass_fds]],
                    start_new_session,
                ),
            )
            with io.FileIO(child_began), _in_root():  # so that the fork server can import `tests`
                self._process.start()
            os.read(began, 1)  # ends when the child has set up its streams and closed its end
        self.pid = self._process.pid

    @property
    def returncode(self):
        return self._process.exitcode

    def poll(self):
        return self._process.exitcode

    def wait(self):
        self._process.join()
        return self._process.exitcode


@contextlib.contextmanager
def _in_root():
    folder = os.getcwd()
    os.chdir(ROOT)
    try:
        yield
    finally:
        os.chdir(folder)


class _Descriptor:
    """A file or its descriptor. Unpickled in the new process, it is a duplicate of the descriptor."""

    def __init__(self, file):
        self._number = file if isinstance(file, int) else file.fileno()

    def __reduce__(self):
        return _detach, (reduction.DupFd(self._number),)


def _detach(duplicate):
    return duplicate.detach()


def _start(command, folder, environment, descriptors, start_new_session):
    """Run the command in the new process."""
    stdin, stdout, stderr, began, *_ = descriptors
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    for number, descriptor in enumerate((stdin, stdout, stderr)):
        os.dup2(descriptor, number)
        os.close(descriptor)
    sys.stdin, sys.stdout, sys.stderr = sys.__stdin__, sys.__stdout__, sys.__stderr__ = [
        open(number, mode, 1 if number == 2 or os.isatty(number) else -1, "utf-8")  # noqa: SIM115
        for number, mode in enumerate("rww")
    ]
    if start_new_session:
        os.setsid()
    os.close(began)
    import torch

    torch.set_num_threads(int(environment.get("OMP_NUM_THREADS", 1)))
    try:
        _run_main(*command)
    except SystemExit:  # subclasses may also be an Exception
        raise
    except Exception:
        sys.excepthook(*sys.exc_info())
        sys.exit(1)


def _run_main(program, *arguments):
    name = os.path.basename(program)
    sys.argv = [program, *arguments]
    if name == "slstm":
        from slstm_allennlp.console.main import run as slstm

        slstm()
    elif name == "allennlp":
        from allennlp.__main__ import run as allennlp

        allennlp()
    elif arguments[0] == "-c":
        sys.argv = ["-c", *arguments[2:]]
        exec(compile(arguments[1], "<string>", "exec"), {"__name__": "__main__"})
    elif arguments[0] == "-m":
        sys.argv = [*arguments[1:]]
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = [*arguments]
        runpy.run_path(arguments[0], run_name="__main__")
