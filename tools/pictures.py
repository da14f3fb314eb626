"""
Draws the plots of README.md into docs/pictures/, from the tables of RESULTS.md and a measurement:

    python tools/pictures.py

`recipes.svg` is of the table of the recipes, `length.svg` of the table of all encoders, `texts.svg` of
`benchmarks/measured/texts-2-threads.json`.
"""

import hashlib
import json
import pathlib
import re
from typing import Dict, List, Optional

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot

ROOT = pathlib.Path(__file__).resolve().parent.parent
TEXTS = ROOT / "benchmarks" / "measured" / "texts-2-threads.json"
LINEAR = "linear model"
RECIPES = {"recipe, S-LSTM": "#0072b2", "recipe, BiLSTM, maximum and mean": "#d55e00"}
# The mean number of words of a test text, as RESULTS.md has it.
WORDS = {"MR": 20, "apparel": 66, "kitchen_housewares": 100, "books": 169}
ENCODERS = {
    "fastnlp": ("#0072b2", "o"),
    "slstm": ("#009e73", "D"),
    "balanced": ("#a0527f", "v"),
    "linear": ("#7a7a7a", "^"),
}
STEPS = {
    "AllenNLP's lstm, 2 layers": ("#d55e00", "s--"),
    "AllenNLP's lstm": ("#d55e00", "o-"),
    "S-LSTM": ("#0072b2", "D-"),
    "coupled_lstm": ("#009e73", "v-"),
    "torch.nn.LSTM, padded": ("#7a7a7a", "^:"),
}
NAMES = {"fastnlp": 'S-LSTM, "fastnlp"', "slstm": 'S-LSTM, "paper"', "balanced": 'S-LSTM, "balanced"'}


def table(text: str, corner: str, column: str) -> Dict[str, Dict[str, Optional[float]]]:
    """The means of the table that has this first cell of its head, and this column."""
    lines = text.splitlines()
    heads = [number for number, line in enumerate(lines) if cells(line)[:1] == [corner]]
    (head,) = [number for number in heads if column in cells(lines[number])]
    columns = cells(lines[head])[1:]
    rows: Dict[str, Dict[str, Optional[float]]] = {}
    for line in lines[head + 2 :]:
        if not line.startswith("|"):
            break
        name, *values = cells(line)
        rows[name.strip("`")] = {key: mean(value) for key, value in zip(columns, values)}
    return rows


def drawn(text: str) -> str:
    """What tells whether the plots are of the tables in this text; it is in each plot's file."""
    tables = table(text, "", "apparel"), table(text, "system", "books"), TEXTS.read_text()
    return hashlib.sha256(repr(tables).encode()).hexdigest()


def cells(line: str) -> List[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")] if line.startswith("|") else []


def mean(cell: str) -> Optional[float]:
    """Of `mean ± standard deviation`; none where the cell has no number."""
    number = re.match(r"\**([-+]?\d+(\.\d+)?)", cell)
    return float(number.group(1)) if number else None


def recipes(text: str) -> pyplot.Figure:
    """How far the recipes are ahead of the linear model; F1 of entities has a scale of its own."""
    rows = table(text, "", "apparel")
    columns = [column for column in rows[LINEAR] if column != "mean"]
    figure, panels = pyplot.subplots(
        1, 2, figsize=(7.2, 2.9), constrained_layout=True, width_ratios=(len(columns) - 1, 1.6)
    )
    for axes, part in zip(panels, (columns[:-1], columns[-1:])):
        for number, (name, color) in enumerate(RECIPES.items()):
            points = [(place, rows[name][column]) for place, column in enumerate(part)]
            places = [place + 0.38 * number for place, value in points if value is not None]
            leads = [
                difference(value, rows[LINEAR][part[place]])
                for place, value in points
                if value is not None
            ]
            bars = axes.bar(places, leads, 0.36, color=color, label=name.split(", max")[0])
            axes.bar_label(bars, fmt="%+.1f", fontsize=8)
        axes.set_xticks(
            [place + 0.19 for place in range(len(part))],
            [column.replace(", ", ",\n") for column in part],
        )
        axes.axhline(0, color="black", linewidth=1)
        axes.margins(y=0.15)
    panels[0].set_ylabel("points ahead of a linear model")
    panels[0].legend(loc="upper right")
    return figure


def length(text: str) -> pyplot.Figure:
    """How far encoders are ahead of the BiLSTM, over the length of the texts."""
    rows = table(text, "system", "books")
    figure, axes = pyplot.subplots(figsize=(7.2, 3.0), constrained_layout=True)
    for name, (color, marker) in ENCODERS.items():
        leads = [difference(rows[name][corpus], rows["bilstm"][corpus]) for corpus in WORDS]
        axes.plot(list(WORDS.values()), leads, f"{marker}-", color=color, label=NAMES.get(name, LINEAR))
    axes.axhline(0, color="black", linewidth=1)
    axes.annotate("BiLSTM", (150, 0), (0, 3), textcoords="offset points", fontsize=8)
    ticks = [f"{words}\n{name.split('_')[0]}" for name, words in WORDS.items()]
    axes.set_xticks(list(WORDS.values()), ticks)
    axes.set_xlabel("words in a text, on average")
    axes.set_ylabel("points ahead of the BiLSTM")
    axes.grid(axis="y", color="0.9")
    axes.legend(loc="upper left", fontsize=8)
    return figure


def texts(text: str) -> pyplot.Figure:
    """How long a training step takes over the length of its texts, at equal weights."""
    rows = json.loads(TEXTS.read_text())["rows"]
    lengths = [int(row["case"]) for row in rows]
    figure, axes = pyplot.subplots(figsize=(7.2, 3.0), constrained_layout=True)
    for name, (color, style) in STEPS.items():
        milliseconds = [1000 * row["seconds"][name] for row in rows]
        axes.loglog(lengths, milliseconds, style, color=color, label=name)
    axes.set_xticks(lengths, [str(length) for length in lengths])
    axes.minorticks_off()
    axes.set_xlabel("words in a text, on average, ten texts a step")
    axes.set_ylabel("milliseconds")
    axes.grid(color="0.9")
    axes.legend(loc="upper left", fontsize=8)
    return figure


def difference(ours: Optional[float], theirs: Optional[float]) -> float:
    assert ours is not None and theirs is not None
    return ours - theirs


PICTURES = {"recipes.svg": recipes, "length.svg": length, "texts.svg": texts}


def main(folder: pathlib.Path) -> None:
    text = (ROOT / "RESULTS.md").read_text(encoding="utf-8")
    folder.mkdir(parents=True, exist_ok=True)
    with pyplot.rc_context({"svg.hashsalt": "pictures", "font.size": 9, "svg.fonttype": "none"}):
        for name, draw in PICTURES.items():
            figure = draw(text)
            about = {"Date": None, "Description": drawn(text)}
            figure.savefig(folder / name, metadata=about, facecolor="white")
            pyplot.close(figure)


if __name__ == "__main__":
    main(ROOT / "docs" / "pictures")
