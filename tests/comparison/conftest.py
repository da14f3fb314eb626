import pytest


@pytest.fixture
def drawn():
    """For a test whose pictures are drawn, among those of `quick_pictures`."""


@pytest.fixture
def quick_pictures(request, monkeypatch):
    """Files without a drawing, which is most of a report's time; figures_test.py looks at drawings."""
    if "drawn" in request.fixturenames:
        return

    def save(figure, path, **_):
        path.write_text('<svg xmlns="http://www.w3.org/2000/svg"/>')

    monkeypatch.setattr("matplotlib.figure.Figure.savefig", save)
