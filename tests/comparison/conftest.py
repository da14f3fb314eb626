import pytest

from slstm_allennlp.comparison.folders import ComparisonFolder


@pytest.fixture
def comparison(tmp_path):
    return ComparisonFolder(tmp_path)


@pytest.fixture
def quick_pictures(monkeypatch):
    """Write empty pictures: drawing takes most of a report's time. figures_test.py tests drawings."""

    def save(figure, path, **_):
        path.write_text('<svg xmlns="http://www.w3.org/2000/svg"/>')

    monkeypatch.setattr("matplotlib.figure.Figure.savefig", save)
