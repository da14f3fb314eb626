"""The page of slstm-inside in a real browser."""

import dataclasses
import json
import re
import shutil
import time

import numpy
import pytest
import torch

from slstm_allennlp.inside import Reading, page, report_of
from slstm_allennlp.modules import SentenceStateLSTM
from tests.conftest import slow_but
from tests.modules.common import randomized

# selenium is in requirements-dev.txt, not in the package's requirements.
webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
DRIVER = shutil.which("chromedriver")
if CHROMIUM is None or DRIVER is None:
    pytest.skip("there is no chromium or no chromedriver", allow_module_level=True)

FLAGS = """
    headless no-sandbox disable-gpu disable-background-networking disable-component-update disable-sync
    no-first-run
""".split()
SENTENCES = {"first": "The painter 's <b>door</b>".split(), "second": "It rains".split()}
CONTRAST = """
    const channel = (c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    const luminance = (color) => {
        let parts = color.match(/[\\d.]+/g).slice(0, 3).map(Number);
        if (color.startsWith("color(")) parts = parts.map((c) => 255 * c);
        return 0.2126 * channel(parts[0]) + 0.7152 * channel(parts[1]) + 0.0722 * channel(parts[2]);
    };
    const ground = (e) => {
        const color = getComputedStyle(e).backgroundColor;
        return color === "rgba(0, 0, 0, 0)" ? ground(e.parentElement) : color;
    };
    return [...document.querySelectorAll("td, th, p, dd, dt, h1, h2, h3, button, output, option")]
        .filter((e) => e.textContent && !e.disabled).map((e) => {
        const pair = [luminance(getComputedStyle(e).color), luminance(ground(e))].sort((a, b) => a - b);
        const contrast = (pair[1] + 0.05) / (pair[0] + 0.05);
        return [contrast, parseFloat(getComputedStyle(e).fontSize), e.textContent];
    });
"""


@pytest.fixture(scope="module")
def report():
    """A report of three inputs: a pair (read with every kind of gate), a tagged sentence, no words."""
    torch.manual_seed(0)
    options = {"num_steps": 3, "window_size": 2, "num_sentence_nodes": 2}
    encoder = randomized(SentenceStateLSTM(4, 4, **options))
    tagger = randomized(SentenceStateLSTM(4, 4, num_steps=2, num_sentence_nodes=0, transition="fastnlp"))

    def reading(module, field, words):
        with torch.no_grad():
            trace = module.trace(torch.randn(1, len(words), 4), more_steps=2)
        name, taken = ("_encoder", "sentence") if module is encoder else ("tagger", "words")
        attention = torch.tensor([0.75, 0.25]) if words == SENTENCES["second"] else None
        made = Reading(name, module.settings, trace, 0, field, words, taken, attention)
        return report_of(made, tolerance=0.01)

    pair = {
        "input": {key: " ".join(words) for key, words in SENTENCES.items()},
        "prediction": {"label": "neutral", "probabilities": {"neutral": 0.75, "entailment": 0.25}},
        "readings": [reading(encoder, field, words) for field, words in SENTENCES.items()],
    }
    words = SENTENCES["second"]
    tagged = {
        "input": {"words": words},
        "prediction": {"tagged": "It/PRP rains/VBZ", "words": words, "tags": ["PRP", "VBZ"]},
        "readings": [reading(tagger, "tokens", words)],
    }
    nothing = {"input": {"sentence": ""}, "prediction": {"label": None}, "readings": []}
    modules = {"_encoder": encoder, "tagger": tagger}
    return {
        "archive": "model.tar.gz",
        "input_file": "sentences.jsonl",
        "tolerance": 0.01,
        "encoders": {name: dataclasses.asdict(module.settings) for name, module in modules.items()},
        "inputs": [pair, tagged, nothing],
    }


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in (*FLAGS, f"user-data-dir={tmp_path_factory.mktemp('chromium')}"):
        options.add_argument(f"--{flag}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(executable_path=DRIVER))
    yield driver
    driver.quit()


class Browser:
    """The opened page, with what a user can see and do."""

    def __init__(self, driver):
        self._driver = driver

    def find(self, selector):
        return self._driver.find_element("css selector", selector)

    def texts(self, selector):
        return [e.text for e in self._driver.find_elements("css selector", selector)]

    def run(self, script):
        return self._driver.execute_script(script)

    def press(self, key, selector="body"):
        self.find(selector).send_keys(getattr(webdriver.Keys, key, key))

    def look(self, scheme, width):
        media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        self._driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
        self._driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)

    def cells_of(self, name, reading=0):
        table = f".reading:nth-of-type({reading + 1}) .one-step "
        number = self.texts(table + "thead th").index(name) + 1
        return table + f"tbody tr > :nth-child({number})"

    def column(self, name, reading=0):
        """Return a column of the table of one step, without the rows of the sentence nodes."""
        return self.texts(self.cells_of(name, reading))

    def shades(self, name):
        """Return how dark the cells of a column of the first table are."""
        shade = "(cell) => Number(cell.style.getPropertyValue('--shade'))"
        return self.run(f"return [...document.querySelectorAll('{self.cells_of(name)}')].map({shade})")


def open_page(driver, report, folder, motion):
    (folder / "inside.html").write_text(page(report), encoding="utf-8")
    features = [{"name": "prefers-reduced-motion", "value": motion}]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    driver.get((folder / "inside.html").as_uri())
    return Browser(driver)


@pytest.fixture
def browser(driver, report, tmp_path):
    """The page without motion, at the last step of the model for the first input."""
    opened = open_page(driver, report, tmp_path, motion="reduce")
    opened.run("go(3)")
    yield opened
    assert [entry["message"] for entry in driver.get_log("browser")] == []
    # The page requested no other resource.
    assert driver.execute_script("return performance.getEntriesByType('resource').length") == 0


def near(shown, values):
    """Return whether the shown percentages are the values, to three digits."""
    return [float(text) for text in shown] == pytest.approx([100 * v for v in values], rel=6e-3)


def test_it_opens_with_what_was_read_and_predicted_and_can_be_concluded(browser, report):
    assert browser.find("#where").text == "Step 3 of 3"
    assert browser.texts("h2") == ["first read by _encoder", "second read by _encoder"]
    assert browser.column("word") == ["⟨s⟩", *SENTENCES["first"], "⟨/s⟩"]
    assert browser.column("word", 1) == ["⟨s⟩", "It", "rains", "⟨/s⟩"]
    assert browser.texts("#prediction > *") == ["neutral", "neutral 75.0 %", "entailment 25.0 %"]
    first = report["inputs"][0]["readings"][0]
    headings = {"left 2": "l2", "left 1": "l1", "self": "f", "right 1": "r1", "right 2": "r2"}
    headings.update({"sentence 1": "s1", "sentence 2": "s2", "input": "i"})
    for heading, gate in headings.items():
        assert near(browser.column(heading), first["gates"][gate][2])
    assert near(browser.column("changed"), first["change"][2])
    for node in (0, 1):
        assert near(browser.column(f"heard by g {node + 1}"), first["nodes"][node]["listens"][2])
    own = browser.texts(".reading:nth-of-type(1) .one-step tfoot td.value")
    changes, kept = ([node[key][2] for node in first["nodes"]] for key in ("change", "keeps"))
    assert near(own, [changes[0], kept[0], changes[1], kept[1]])
    # On the attention, or on what the sentence node heard first; neither is of a mean of words
    heard = report["inputs"][0]["readings"][0]["nodes"][0]["listens"][0]
    first, second = browser.texts(".opening .words")
    assert first.split("\n")[::2] == ["⟨s⟩", *SENTENCES["first"], "⟨/s⟩"]
    assert near(first.split("\n")[1::2], heard)
    assert second.split("\n") == ["It", "75.0", "rains", "25.0"]
    assert browser.texts(".opening h3")[0] == "What the sentence node heard first"
    said = browser.find(".reading:nth-of-type(2) .opening").text
    assert "mostly of \u2068It\u2069 75.0 %, \u2068rains\u2069 25.0 %." in said
    assert "even split: 50.0 %" in said
    nothing = {**report["inputs"][1]["readings"][0], "attention": None}
    assert browser.run(f"return opening({json.dumps(nothing)}).length") == 0


@pytest.mark.parametrize("how", ("keys", "buttons", "slider", "headings"))
def test_it_steps(browser, report, how):
    gates = report["inputs"][0]["readings"][0]["gates"]
    before = 3
    for step in (2, 1, 5, 4):
        if how == "headings":
            browser.find(f"#pick-0-{step}").click()
        elif how == "buttons":
            for _ in range(abs(step - before)):
                browser.find("#back" if step < before else "#forth").click()
        else:
            selector = "#step" if how == "slider" else "body"
            browser.press("HOME", selector)
            for _ in range(step - 1):
                browser.press("ARROW_RIGHT", selector)
        before = step
        beyond = "3 + 2" if step > 3 else "3"
        assert browser.find("#where").text == f"Step {step} of {beyond}"
        assert near(browser.column("input"), gates["i"][step - 1])
        pressed = browser.texts(".reading:nth-of-type(1) .pick[aria-pressed=true]")
        assert pressed == [str(step)]
    assert browser.find("#step").get_attribute("value") == "4"


def test_it_shows_any_quantity_over_all_steps(browser, report):
    # At first the one that varies most
    first = report["inputs"][0]["readings"][0]
    parts = len(first["words"]) + 1  # into which a sentence node divides its attention
    varies = {name: 9 * numpy.ptp(values) for name, values in first["gates"].items()}
    varies |= {f"heard{k}": parts * numpy.ptp(n["listens"]) for k, n in enumerate(first["nodes"])}
    most = max(varies, key=varies.get)
    assert browser.find("#quantity-0").get_attribute("value") == most
    for label, values in (
        ("right 2", first["gates"]["r2"]),
        ("changed", first["change"]),
        ("heard by g 2", first["nodes"][1]["listens"]),
    ):
        number = browser.texts("#quantity-0 option").index(label) + 1
        browser.find(f"#quantity-0 option:nth-child({number})").click()
        for step in range(5):
            cells = browser.texts(f".reading:nth-of-type(1) .all-steps tbody td:nth-child({step + 2})")
            assert near(cells, values[step])
    kept = browser.texts(".reading:nth-of-type(1) .all-steps tfoot td")
    assert near(kept, first["nodes"][1]["keeps"])


@pytest.mark.parametrize(
    "motion, key", [("no-preference", ""), ("reduce", ""), ("no-preference", "END")]
)
def test_it_opens_on_the_first_step_and_plays_to_the_end(driver, report, tmp_path, motion, key):
    """It stands still for those who want no motion, until they press the button. A key ends it."""
    opened = open_page(driver, report, tmp_path, motion)
    if key:
        opened.press(key)
    else:
        assert opened.find("#where").text == "Step 1 of 3"
        assert "Each row is a word, each step one exchange" in opened.find(".look").text
        if motion == "reduce":
            assert opened.find("#play").text == "Play"
            opened.find("#play").click()
        assert opened.find("#play").text == "Stop"
        deadline = time.monotonic() + 20
        while opened.find("#play").text == "Stop" and time.monotonic() < deadline:
            time.sleep(0.1)
    assert opened.find("#where").text == "Step 5 of 3 + 2" and opened.find("#play").text == "Play"


def test_its_scale_is_honest(browser):
    """
    11.1 and 11.2 % look almost the same, unless full contrast is chosen. Its scale spans at least a
    hundredth of an even split.
    """
    assert not browser.find("#contrast").is_selected()
    between = "const r = { least: 0.111, largest: 0.112, even: 1 / 9, top: 2 / 9 };"
    difference = "return shadeOf(0.112, r) - shadeOf(0.111, r);"
    assert browser.run(f"{between} {difference}") < 0.01
    assert browser.run(f"{between} state.contrast = true; {difference}") > 0.8
    ends = "state.contrast = true; return endsOf({ least: %s, largest: %s, even: 0.2, top: 0.4 })"
    assert browser.run(ends % (0.1999, 0.2001)) == pytest.approx([0.199, 0.201])
    assert browser.run(ends % (0.198, 0.201)) == [0.198, 0.201]
    # It says what flat gates mean.
    flat, other = (
        browser.run(f"return flatness({{ gates: {{ l: {gates}, i: {gates} }} }}, 2)")
        for gates in ([[0.45, 0.5]], [[0.1, 0.9]])
    )
    assert flat.startswith(" The gates are flat, all from 45.0 to 50.0: ") and other == ""


def test_it_turns_to_other_sentences(browser, report):
    browser.press("n")
    tagged = report["inputs"][1]["readings"][0]
    assert browser.column("word") == ["It", "rains"] and browser.column("tag") == ["PRP", "VBZ"]
    assert browser.texts("#prediction") == ["It/PRP rains/VBZ"]
    assert near(browser.column("left"), tagged["gates"]["l1"][2])
    browser.find("#next").click()
    assert "there are no words" in browser.find("main").text
    assert browser.find("#next").get_attribute("disabled")
    browser.press("p")
    browser.find("#sentence option:nth-child(1)").click()
    assert browser.texts("h2")[0] == "first read by _encoder"


def test_contrast_goes_from_the_least_to_the_most(browser, report):
    first = report["inputs"][0]["readings"][0]
    gates = numpy.concatenate([numpy.ravel(gates) for gates in first["gates"].values()])
    # Without what the nodes kept of themselves, which may be far outside of this range.
    heard = numpy.concatenate([numpy.ravel(node["listens"]) for node in first["nodes"]])
    shown = {"input": first["gates"]["i"][2], "heard by g 2": first["nodes"][1]["listens"][2]}
    browser.find("#contrast").click()
    for (column, values), among in zip(shown.items(), (gates, heard)):
        expected = (numpy.array(values) - among.min()) / numpy.ptp(among)
        assert browser.shades(column) == pytest.approx(expected, abs=1e-3)
    legends = browser.texts(".reading:nth-of-type(1) .one-step .legend")
    least, most = (float(f"{100 * value:.3g}") for value in (gates.min(), gates.max()))
    even = float(f"{100 / len(first['gates']):.3g}")
    (numbers,) = (re.findall(r"[\d.]+", text) for text in legends if text.startswith("gates: "))
    assert list(map(float, numbers)) == [least, most, even]
    browser.find("#contrast").click()
    top = max(2 / len(first["gates"]), gates.max())
    assert browser.shades("input") == pytest.approx(numpy.array(shown["input"]) / top, abs=1e-3)
    assert any(text.startswith("gates: 0 %") for text in browser.texts(".one-step .legend"))


def test_its_words_are_explained(browser, report):
    """They may be written from right to left. It also says what the model takes."""
    assert browser.find("tbody th").get_attribute("dir") == "auto"
    assert browser.find("dd").get_attribute("dir") == "auto"
    # The text is isolated, so that its direction does not affect the text around it.
    assert "\u2068The painter" in browser.find("#sentence option").get_attribute("textContent")
    note = browser.texts(".one-step")[0]
    assert "Heard: how much of the sentence node's new cell came from each word" in note
    assert "Changed: how far a state moved from the step before" in note
    takes = "The model takes the first sentence node's last state from here."
    assert browser.texts(".taken") == [takes, takes]
    browser.press("n")
    (note,) = browser.texts(".one-step")  # without a sentence node
    assert "Changed:" in note and "Heard:" not in note
    assert browser.texts(".taken") == ["The model takes the words' last states from here."]
    first = {**report["inputs"][0]["readings"][0], "taken": "words"}
    text = browser.run(f"return takenOf({json.dumps(first)})")
    assert "Its prediction does not come from the sentence node" in text


@pytest.mark.parametrize("largest, top", [(0.5, 100), (1.5, 200), (2.0, 200), (0.009, 1)])
def test_the_chart_ends_where_changes_do(browser, largest, top):
    """The axis ends at a power of ten, and at 200 % at most."""
    reading = {**browser.run("return report.inputs[0].readings[0]"), "nodes": []}
    reading["change"] = [[largest], [0.002]]
    ticks = f"chart({json.dumps(reading)}).querySelectorAll('.tick')"
    shown = browser.run(f"return [...{ticks}].map((t) => t.textContent)")
    assert shown[0] == f"{top} %" and ("100 %" in shown) == (top >= 100)


@pytest.mark.parametrize("width, columns", slow_but([(390, 1), (1280, 2), (1920, 3)], fast=[(390, 1)]))
@pytest.mark.parametrize("scheme", slow_but(("light", "dark"), fast=["dark"]))
def test_it_is_legible(browser, scheme, width, columns):
    """
    Fonts have at least 12 pixels and a contrast of at least 4.5. The page fits the window's width: the
    figures are side by side on a desktop, and in one column on a phone.
    """
    browser.look(scheme, width)
    boxes = browser.run(
        "return [...document.querySelectorAll('.reading:nth-of-type(1) .figures > figure')]"
        ".map((figure) => figure.getBoundingClientRect().toJSON())"
    )
    assert len(boxes) == 3 and len({round(box["left"]) for box in boxes}) == columns
    assert max(box["right"] for box in boxes) > 0.9 * width
    for contrast in (False, True):
        browser.run(f"state.contrast = {str(contrast).lower()}")
        for step in (1, 3, 5):
            browser.find(f"#pick-0-{step}").click()
            found = browser.run(CONTRAST)
            assert len(found) > 100
            assert [what for what in found if what[0] < 4.5 or what[1] < 12] == []
    page = "document.documentElement"  # its widths exclude the scroll bar
    assert browser.run(f"return {page}.scrollWidth - {page}.clientWidth") == 0
    assert browser.find("tbody td.value").size["height"] > 12
