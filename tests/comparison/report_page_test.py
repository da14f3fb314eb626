"""report.html in a real browser: on a phone and on a desktop, light and dark."""

import pytest

from slstm_allennlp.comparison import document
from slstm_allennlp.comparison.document import Heading, Paragraph, Picture, Pictures, Table
from tests.inside.page_test import CONTRAST, Browser, driver  # noqa: F401

PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" width="1000" height="300"></svg>'


@pytest.fixture
def page(driver, tmp_path):  # noqa: F811
    (tmp_path / "curves.svg").write_text(PICTURE)
    wide = Table([{f"a column of {n}": "a value" for n in range(20)}])
    parts = [
        Paragraph("slstm is better than lstm.", is_verdict=True),
        Paragraph("Few seeds.", is_warning=True),
        Heading("Results"),
        wide,
        Pictures("Curves", "A caption.", [Picture("curves.svg", "Curves", {})]),
        document.Listing(["a line of a log, " * 30]),
    ]
    document.write(tmp_path, "Two systems", parts)
    driver.get((tmp_path / "report.html").as_uri())
    return Browser(driver)


@pytest.mark.parametrize("width", (390, 1280))
@pytest.mark.parametrize("scheme", ("light", "dark"))
def test_it_is_legible_and_nothing_is_cut_off(page, scheme, width):
    page.look(scheme, width)
    ground = page.run("return getComputedStyle(document.body).backgroundColor")
    assert (ground == "rgb(20, 23, 28)") == (scheme == "dark")
    found = page.run(CONTRAST)
    assert len(found) > 20
    assert [text for text in found if text[0] < 4.5 or text[1] < 11] == []
    # Only the table and the picture scroll sideways, each within its own box.
    whole = "document.documentElement"
    assert page.run(f"return {whole}.scrollWidth - {whole}.clientWidth") == 0
    table = "document.querySelector('div.table')"
    assert page.run(f"return {table}.scrollWidth > {table}.clientWidth")


@pytest.mark.parametrize("width, scrolls", [(390, True), (1280, False)])
def test_a_wide_picture_scrolls_on_a_phone(page, width, scrolls):
    """It keeps its size, so that its text is legible."""
    page.look("light", width)
    assert page.run("return document.querySelector('img').getBoundingClientRect().width") == 1000
    box = "document.querySelector('div.pictures')"
    assert page.run(f"return {box}.scrollWidth > {box}.clientWidth") == scrolls
