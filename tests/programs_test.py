"""A forked program behaves like one in a new interpreter."""

import os
import signal
import subprocess
import sys

import pytest

from tests import programs

CODES = (
    "print('out'); import sys; print('err', file=sys.stderr)",
    "import os; os.system('echo of a shell'); os.write(2, b'directly')",
    "import sys; sys.exit(3)",
    "import sys; sys.exit('a sentence')",
    "raise SystemExit",
    "import os, signal; os.kill(os.getpid(), signal.SIGTERM)",
    "import os, sys; print(os.getcwd(), sys.argv, os.environ.get('THERE'), os.environ.get('GONE'))",
    "print(input())",
    "import logging; logging.warning('said')",
)


@pytest.mark.parametrize("code", CODES)
def test_as_a_new_interpreter(tmp_path, monkeypatch, code):
    monkeypatch.setenv("GONE", "1")
    environment = {**os.environ, "THERE": "ä"}
    del environment["GONE"]
    command = [sys.executable, "-c", code, "an argument"]
    found = programs.run(command, cwd=tmp_path, env=environment)
    expected = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL
    )
    assert (found.returncode, found.stdout) == (expected.returncode, expected.stdout)
    assert found.stderr.splitlines()[-1:] == expected.stderr.splitlines()[-1:]


def test_a_process_that_is_killed():
    process = programs.Popen(
        [sys.executable, "-c", "import time; time.sleep(60)"], start_new_session=True
    )
    assert process.poll() is None
    os.killpg(process.pid, signal.SIGKILL)
    assert process.wait() == process.poll() == -signal.SIGKILL
