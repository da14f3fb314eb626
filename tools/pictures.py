"""
Draw the plots of README.md into docs/pictures/:

    python tools/pictures.py

`recipes.svg` shows `experiments/recipes.json`, `sizes.svg` shows `experiments/sizes.json` and
`experiments/tag_sizes.json`, `length.svg` shows `experiments/evidence.json`; `texts.svg` and
`prediction.svg` show files in `benchmarks/measured`.

    slstm train reviews_slstm -s output/reviews
    python tools/pictures.py output/reviews/model.tar.gz

takes a picture of the page of `slstm inside`, too, with Chromium: `inside.png`.
"""

import hashlib
import json
import pathlib
import runpy
import subprocess
import sys
import tempfile
from typing import Dict, List

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = runpy.run_path(str(ROOT / "experiments" / "results.py"))
MEASURED = ROOT / "benchmarks" / "measured"
TEXTS, PREDICTION = MEASURED / "texts-1-thread.json", MEASURED / "prediction-1-thread.json"
RECIPES = {
    "slstm": ("recipe, S-LSTM", "#0072b2"),
    "bilstm": ("recipe, BiLSTM (reviews: attention)", "#d55e00"),
    "no_encoder": ("recipe, mean of the words", "#999999"),
}
CORPORA = {
    "MR": "MR",
    "apparel": "apparel",
    "kitchen_housewares": "kitchen\nware",
    "books": "books",
    "ewt": "tags,\nfifth of\nEWT",
    "sick": "pairs,\nSICK",
    "mrpc": "pairs,\nMRPC",
    "wnut17": "entities,\nWNUT-17 (F1)",
}
# The mean number of words of a test text, as in RESULTS.md.
WORDS = {"MR": 21, "apparel": 66, "kitchen_housewares": 100, "books": 169}
ENCODERS = {
    "fastnlp": ('S-LSTM, "fastnlp"', "#0072b2", "o"),
    "slstm": ('S-LSTM, "paper"', "#009e73", "D"),
    "balanced": ('S-LSTM, "balanced"', "#a0527f", "v"),
    "linear": ("linear model", "#7a7a7a", "^"),
}
STEPS = {
    "AllenNLP's lstm, 2 layers": ("#d55e00", "s--"),
    "AllenNLP's lstm": ("#d55e00", "o-"),
    "S-LSTM": ("#0072b2", "D-"),
    "coupled_lstm": ("#009e73", "v-"),
    "padded_lstm": ("#7a7a7a", "^:"),
}
PREDICTIONS = {
    "S-LSTM": ("#0072b2", "D-"),
    "bare products, packed": ("#7a7a7a", "o:"),
    "S-LSTM, bfloat16": ("#009e73", "v-"),
    "torch.nn.LSTM, 2 directions": ("#d55e00", "s-"),
}
SIZES = {
    "slstm": ("recipe, S-LSTM", "#0072b2", "D-"),
    "bilstm_attention": ("recipe, BiLSTM", "#d55e00", "s-"),  # reviews: with attention
    "bilstm": ("recipe, BiLSTM", "#d55e00", "s-"),
    "no_encoder": ("recipe, mean of the words", "#999999", "o-"),
    "frozen": ("MiniLM frozen, logistic regression", "#009e73", "v-."),
    "linear": ("linear model", "black", "^:"),
    "slstm_alone": ("S-LSTM alone", "#0072b2", "D--"),
    "bilstm_alone": ("BiLSTM alone", "#d55e00", "s--"),
}


def scores(comparison: str) -> Dict[str, Dict[str, float]]:
    """Return the mean test score of each system on each corpus."""
    return {
        corpus: {name: of["test"][0] for name, of in RESULTS["systems_of"](comparison, corpus).items()}
        for corpus in RESULTS["load"](comparison)["corpora"]
    }


def drawn() -> str:
    """Return a hash of the numbers. It is in each plot's file, so that a test finds outdated plots."""
    comparisons = [scores(name) for name in ("recipes", "sizes", "tag_sizes", "evidence")]
    numbers = comparisons, TEXTS.read_text(), PREDICTION.read_text()
    return hashlib.sha256(repr(numbers).encode()).hexdigest()


def over(places: List[int], label: str, axes: pyplot.Axes) -> None:
    """Show the measured places on a logarithmic x axis, without ticks between them."""
    axes.set_xticks(places, [str(place) for place in places])
    axes.minorticks_off()
    axes.set_xlabel(label)
    axes.grid(color="0.9")


def recipes() -> pyplot.Figure:
    """Plot the recipes' lead over the linear model. The F1 of entities has its own scale."""
    of_corpora, names = scores("recipes"), list(CORPORA)
    figure, panels = pyplot.subplots(
        1, 2, figsize=(7.2, 2.9), constrained_layout=True, width_ratios=(len(names) - 1, 1.3)
    )
    for axes, part in zip(panels, (names[:-1], names[-1:])):
        for number, (system, (label, color)) in enumerate(RECIPES.items()):
            leads = {}
            for place, corpus in enumerate(part):
                of = of_corpora[corpus]
                name = f"{system}_attention" if f"{system}_attention" in of else system
                if name in of:
                    leads[place + 0.28 * number] = of[name] - of["linear"]
            bars = axes.bar(list(leads), list(leads.values()), 0.26, color=color, label=label)
            axes.bar_label(bars, fmt="%+.1f", fontsize=6)
        axes.set_xticks([place + 0.28 for place in range(len(part))], [CORPORA[name] for name in part])
        axes.axhline(0, color="black", linewidth=1)
        axes.margins(y=0.15)
    panels[0].set_ylabel("points ahead of a linear model")
    figure.legend(
        *panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=3, fontsize=8
    )
    return figure


def sizes() -> pyplot.Figure:
    """Plot the accuracy over the number of labelled reviews, and over that of tagged sentences."""
    figure, panels = pyplot.subplots(1, 2, figsize=(7.2, 3.6), constrained_layout=True)
    for axes, comparison, label in zip(
        panels, ("sizes", "tag_sizes"), ("labelled reviews (apparel)", "tagged sentences (EWT)")
    ):
        of_sizes = scores(comparison)
        for name, (_, color, style) in SIZES.items():
            own = {int(size): of[name] for size, of in of_sizes.items() if name in of}
            axes.semilogx(list(own), list(own.values()), style, color=color, markersize=5)
        over([int(size) for size in of_sizes], label, axes)
    panels[0].set_ylabel("test accuracy, %")
    lines = [
        pyplot.Line2D([], [], color=color, marker=style[0], linestyle=style[1:], label=label)
        for label, color, style in dict.fromkeys(SIZES.values())
    ]
    figure.legend(handles=lines, loc="outside upper center", ncols=3, fontsize=8)
    return figure


def length() -> pyplot.Figure:
    """Plot the encoders' lead over the BiLSTM, over the length of the texts."""
    of_corpora = scores("evidence")
    figure, axes = pyplot.subplots(figsize=(7.2, 3.0), constrained_layout=True)
    for name, (label, color, marker) in ENCODERS.items():
        leads = [of_corpora[corpus][name] - of_corpora[corpus]["bilstm"] for corpus in WORDS]
        axes.plot(list(WORDS.values()), leads, f"{marker}-", color=color, label=label)
    axes.axhline(0, color="black", linewidth=1)
    axes.annotate("BiLSTM", (150, 0), (0, 3), textcoords="offset points", fontsize=8)
    ticks = [f"{words}\n{name.split('_')[0]}" for name, words in WORDS.items()]
    axes.set_xticks(list(WORDS.values()), ticks)
    axes.set_xlabel("words in a text, on average")
    axes.set_ylabel("points ahead of the BiLSTM")
    axes.grid(axis="y", color="0.9")
    axes.legend(loc="upper left", fontsize=8)
    return figure


def texts() -> pyplot.Figure:
    """Plot the time of a training step over the length of the texts, at equal numbers of weights."""
    rows = json.loads(TEXTS.read_text())["rows"]
    lengths = [int(row["case"]) for row in rows]
    figure, axes = pyplot.subplots(figsize=(7.2, 3.0), constrained_layout=True)
    for name, (color, style) in STEPS.items():
        milliseconds = [1000 * row["seconds"][name] for row in rows]
        axes.loglog(lengths, milliseconds, style, color=color, label=name)
    over(lengths, "words in a text, on average, ten texts a step, one thread", axes)
    axes.set_ylabel("milliseconds")
    axes.legend(loc="upper left", fontsize=8)
    return figure


def prediction() -> pyplot.Figure:
    """Plot the prediction time of a sentence over its length and over the batch size."""
    rows = json.loads(PREDICTION.read_text())["rows"]
    shapes = [tuple(int(number) for number in row["case"].split(" × ")) for row in rows]
    figure, panels = pyplot.subplots(1, 2, figsize=(7.2, 3.0), constrained_layout=True)
    about = ("words of a sentence by itself", "sentences of 20 words in a batch")
    for axes, varied, fixed, label in zip(panels, (1, 0), (1, 20), about):
        chosen = [number for number, shape in enumerate(shapes) if shape[1 - varied] == fixed]
        places = [shapes[number][varied] for number in chosen]
        for name, (color, style) in PREDICTIONS.items():
            times = [1000 * rows[number]["seconds"][name] / shapes[number][0] for number in chosen]
            axes.loglog(places, times, style, color=color, label=name, markersize=5)
        over(places, label, axes)
        least, most = axes.get_ylim()
        ticks = [tick for tick in (1, 2, 5, 10, 20, 50) if least < tick < most]
        axes.set_yticks(ticks, [str(tick) for tick in ticks])
    panels[0].set_ylabel("milliseconds a sentence")
    panels[0].legend(loc="upper left", fontsize=7)
    return figure


def inside(archive: str, picture: pathlib.Path) -> None:
    """Take a picture of the page of `slstm inside` on a review."""
    with tempfile.TemporaryDirectory() as name:
        pathlib.Path(name, "model.tar.gz").symlink_to(pathlib.Path(archive).resolve())
        review = "I bought this coffee maker for my sister, and it broke after one week.\n"
        pathlib.Path(name, "review.txt").write_text(review)
        command = "slstm inside model.tar.gz review.txt --output-dir ."
        subprocess.run(command.split(), cwd=name, check=True)
        flags = f"""
            headless no-sandbox hide-scrollbars force-prefers-reduced-motion window-size=1120,540
            force-device-scale-factor=1.25 user-data-dir={name}/chromium screenshot={picture}
        """
        page = pathlib.Path(name, "inside.html").as_uri()
        subprocess.run(["chromium", *(f"--{flag}" for flag in flags.split()), page], check=True)


PICTURES = {
    "recipes.svg": recipes,
    "sizes.svg": sizes,
    "length.svg": length,
    "texts.svg": texts,
    "prediction.svg": prediction,
}


def main(folder: pathlib.Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with pyplot.rc_context({"svg.hashsalt": "pictures", "font.size": 9, "svg.fonttype": "none"}):
        for name, draw in PICTURES.items():
            figure = draw()
            about = {"Date": None, "Description": drawn()}
            figure.savefig(folder / name, metadata=about, facecolor="white")
            pyplot.close(figure)


if __name__ == "__main__":
    main(ROOT / "docs" / "pictures")
    for archive in sys.argv[1:]:
        inside(archive, ROOT / "docs" / "pictures" / "inside.png")
