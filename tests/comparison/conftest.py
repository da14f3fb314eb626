import pytest

from slstm_allennlp.comparison.folders import ComparisonFolder


@pytest.fixture
def comparison(tmp_path):
    return ComparisonFolder(tmp_path)


@pytest.fixture
def drawn():
    """Draw the pictures of this test, in spite of `quick_pictures`."""


@pytest.fixture
def quick_pictures(request, monkeypatch):
    """Write empty pictures: drawing takes most of a report's time. figures_test.py tests drawings."""
    if "drawn" in request.fixturenames:
        return

    def save(figure, path, **_):
        path.write_text('<svg xmlns="http://www.w3.org/2000/svg"/>')

    monkeypatch.setattr("matplotlib.figure.Figure.savefig", save)
