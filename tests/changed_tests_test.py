"""tools/changed_tests.sh selects the tests that a change affects."""

import os
import subprocess

import pytest

from tests.conftest import ROOT, run_program

FILES = """
    slstm_allennlp/ops/slstm/fused.py slstm_allennlp/common/noise.py slstm_allennlp/common/shared.py
    slstm_allennlp/metrics/token_bleu.py training_config/pos_slstm.jsonnet docs/compare.md setup.py
    tests/metrics/span_tags_test.py tests/modules/compile_test.py
    tests/conftest.py tests/ops/slstm_test.py tests/commands_test.py
    tests/common/noise_test.py tests/documents_test.py tests/paper_tables_test.py
    tests/bert_test.py tests/estimators_test.py tests/changed_tests_test.py tests/vectors/files_test.py
    tests/translation_test.py tests/console/bundled_test.py tests/experiments/results_test.py
""".split()


@pytest.fixture
def git(tmp_path, monkeypatch):
    """Run Git in a repository that has these files on `main`, without the user's settings."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:  # as in a hook
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    for path in map(tmp_path.joinpath, FILES):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()

    def run(*arguments):
        command = ["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments]
        subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)

    run("init", "--initial-branch", "main")
    run("add", ".")
    run("commit", "--message", "first")
    return run


def changed_tests(folder):
    return run_program([ROOT / "tools" / "changed_tests.sh"], cwd=folder, check=True).stdout.split()


@pytest.mark.parametrize(
    "changed, tests",
    [
        ("", ""),
        ("setup.py", ""),
        ("slstm_allennlp/ops/slstm/fused.py", "modules ops"),
        ("slstm_allennlp/common/noise.py", "common/noise_test.py"),
        ("slstm_allennlp/common/shared.py", "."),
        ("tests/training/conftest.py", "."),
        ("tools/changed_tests.sh", "changed_tests_test.py"),
        ("slstm_allennlp/vectors/files.py", "bert_test.py estimators_test.py vectors"),
        ("slstm_allennlp/version.py", "."),
        ("slstm_allennlp/metrics/token_bleu.py", "metrics translation_test.py"),
        ("slstm_allennlp/ops/new.py tests/ops/slstm_test.py", "modules ops"),
        ("slstm_cli/new.py", "console documents_test.py"),
        ("benchmarks/measured/new.json", "documents_test.py"),
        ("slstm_allennlp/no_tests/new.py", ""),
        ("training_config/new.jsonnet", "commands_test.py console/bundled_test.py paper_tables_test.py"),
        ("docs/compare.md", "documents_test.py experiments/results_test.py paper_tables_test.py"),
    ],
)
def test_what_is_not_committed_yet(git, tmp_path, changed, tests):
    for path in map(tmp_path.joinpath, changed.split()):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("changed")
    assert changed_tests(tmp_path) == [f"tests/{test}".rstrip("/.") for test in tests.split()]


def test_what_a_branch_has_committed(git, tmp_path):
    git("checkout", "-b", "branch")
    (tmp_path / "slstm_allennlp/common/noise.py").write_text("changed")
    git("commit", "--all", "--message", "second")
    assert changed_tests(tmp_path) == ["tests/common/noise_test.py"]
    git("rm", "tests/common/noise_test.py")  # a deleted test is not selected
    assert changed_tests(tmp_path) == ["tests"]
