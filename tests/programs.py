"""
Programs in processes of their own, which are forked from one that has imported AllenNLP and the plugin:
a new interpreter needs seconds for that. Commands and options are those of `subprocess`. What a new
interpreter is to show (what is imported, which names are known without a flag) needs `subprocess`.
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
    """As `subprocess.run` with `capture_output=True, text=True`."""
    with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        status = Popen(command, cwd=cwd, env=env, stdout=stdout, stderr=stderr).wait()
        texts = []
        for file in (stdout, stderr):
            file.seek(0)
            texts.append(file.read().decode())
    return subprocess.CompletedProcess(command, status, *texts)


def run_anew(command, **options):
    """The same in a new interpreter."""
    return subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, **options)


in_both_ways = pytest.mark.parametrize("run", [run, pytest.param(run_anew, marks=pytest.mark.slow)])
"""For a test that is given one of the two: the new interpreter is slow."""


@contextlib.contextmanager
def instead_of_new_ones(module):
    """Within this, `subprocess.Popen` in a module is the one below."""
    other = types.SimpleNamespace(**{**vars(subprocess), "Popen": Popen})
    with mock.patch.object(module, "subprocess", other):
        yield


class Popen:
    """
    As `subprocess.Popen`, for the commands `slstm ...`, `allennlp ...`, `python FILE ...`,
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
            given = [stdin, sys.__stdout__ if stdout is None else stdout]
            given.append(sys.__stderr__ if stderr is None else stderr)
            began, child_began = os.pipe()
            stack.callback(os.close, began)
            self._process = _forks.Process(
                target=_begin,
                args=(
                    [str(word) for word in command],
                    str(cwd or os.getcwd()),
                    dict(os.environ if env is None else env),
                    [_Descriptor(file) for file in [*given, child_began, *pass_fds]],
                    start_new_session,
                ),
            )
            with io.FileIO(child_began), _in_root():  # where the first of them finds `tests`
                self._process.start()
            os.read(began, 1)  # until it has closed its end, with all that was given in its place
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
    """A file or its number, which the process gets as a number of its own."""

    def __init__(self, file):
        self._number = file if isinstance(file, int) else file.fileno()

    def __reduce__(self):
        return _received, (reduction.DupFd(self._number),)


def _received(descriptor):
    return descriptor.detach()


def _begin(command, folder, environment, descriptors, start_new_session):
    """In the new process."""
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
        _do(*command)
    except SystemExit:  # some of which are an Exception, too
        raise
    except Exception:
        sys.excepthook(*sys.exc_info())
        sys.exit(1)


def _do(program, *arguments):
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
