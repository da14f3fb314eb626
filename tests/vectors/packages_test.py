"""Find folders and packages by name."""

from pathlib import Path

import pytest

from slstm_allennlp.vectors import packages


def test_a_file_goes_first(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "numpy").mkdir()
    assert packages.place_of("numpy") == Path("numpy")


# A copy serves under the name of the model. The folder comes before an installed package.
@pytest.mark.parametrize("name, copy", [("some-vectors", ""), ("glove-6b-50d", "kumo_")])
def test_a_package_is_not_imported(tmp_path, monkeypatch, name, copy):
    folder = tmp_path / f"{copy}{name.replace('-', '_')}"
    folder.mkdir()
    (folder / "__init__.py").write_text("raise RuntimeError('imported')")
    monkeypatch.syspath_prepend(tmp_path)
    assert packages.place_of(name) == folder


@pytest.mark.parametrize("name", ("no_such_package", "os.path", "../nowhere", "1", "-"))
def test_nothing_of_that_name(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert packages.place_of(name) is None


def test_the_cache_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("SLSTM_ALLENNLP_CACHE", str(tmp_path))
    assert packages.cache_folder() == tmp_path
    monkeypatch.delenv("SLSTM_ALLENNLP_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert packages.cache_folder() == tmp_path / "slstm_allennlp"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert packages.cache_folder() == Path.home() / ".cache" / "slstm_allennlp"
