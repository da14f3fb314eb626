"""
Write the tables of docs/paper_tables.md: for each row of Tables 2-7 of the S-LSTM paper, the command,
the published result, and the number of parameters in the paper and here. Write those of
docs/cas_lstm_tables.md: the same for Tables 1-6 of the CAS-LSTM paper. On the pages,
`<!-- table: TABLE_2 -->` begins a table, and `<!-- end of table -->` ends it.

    python tools/paper_tables.py [FOLDER]
"""

import itertools
import json
import pathlib
import re
import statistics
import sys
import textwrap
import warnings
from decimal import Decimal
from typing import Any, Dict, List, NamedTuple, Optional

from allennlp.common import Params
from allennlp.data import DatasetReader, Vocabulary
from allennlp.models import Model

import slstm_allennlp  # noqa: F401

ROOT = pathlib.Path(__file__).parent.parent
WIDTH = 99  # of a line on the pages
TAGGING = ("WSJ", "CONLL")  # their encoder is model.encoder


class Row(NamedTuple):
    """A row of a table. `corpus` is the shell variable with the paths, `run` the folder of the run."""

    name: str
    corpus: str
    config: str
    run: str
    overrides: Dict[str, Any]
    published: str
    parameters: Optional[int] = None  # in the paper, in thousands

    @property
    def settings(self) -> List[str]:
        """The overrides in Jsonnet."""
        encoder = "model.encoder" if self.corpus in TAGGING else "model.seq2vec_encoder"
        prefixes = ("" if key.startswith("model.") else f"{encoder}." for key in self.overrides)
        values = (json.dumps(value).replace('"', "'") for value in self.overrides.values())
        return [f"'{p}{key}': {value}" for p, key, value in zip(prefixes, self.overrides, values)]

    @property
    def command(self) -> str:
        jsonnet = ", ".join([f"${self.corpus}", *self.settings])
        parts = [
            f"allennlp train training_config/{self.config}.jsonnet",
            f"-s output/{self.run}",
            f'-o "{{{jsonnet}}}"',
        ]
        if len(" ".join(parts)) <= WIDTH:
            return " ".join(parts)
        parts[2] = textwrap.fill(
            parts[2], WIDTH - 2, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
        )
        return " \\\n  ".join(parts)


def mr(
    name: str, config: str, published: str, parameters: Optional[int] = None, **overrides: Any
) -> Row:
    run = "-".join(
        [f"mr_{config}", *(f"{key.split('.')[-1]}_{value}" for key, value in overrides.items())]
    )
    return Row(name, "MR", f"mr_{config}", run, overrides, published, parameters)


def layers(number: int) -> Dict[str, int]:
    return {"num_layers": number} if number > 1 else {}


TABLE_2 = [
    mr("+0 dummy node", "slstm", "81.76", 7216, num_sentence_nodes=0),
    mr("+1 dummy node", "slstm", "82.64", 8768),
    mr("+2 dummy node", "slstm", "82.24", 10321, num_sentence_nodes=2),
    mr("Hidden size 100", "slstm", "81.75", 4891, hidden_size=100),
    mr("Hidden size 200", "slstm", "82.04", 6002, hidden_size=200),
    mr("Hidden size 300", "slstm", "82.64", 8768),
    mr("Hidden size 600", "slstm", "81.84", 17648, hidden_size=600),
    mr("Hidden size 900", "slstm", "81.66", 33942, hidden_size=900),
    mr("Without ⟨s⟩, ⟨/s⟩", "slstm", "82.36", 8768, boundary=False),
    mr("With ⟨s⟩, ⟨/s⟩", "slstm", "82.64", 8768),
]
BILSTM = [(1, "81.73", 7059), (2, "81.97", 9221), (3, "81.53", 11383), (4, "81.37", 13546)]
CNN = [(1, "80.35", 5637), (2, "80.97", 5717), (3, "81.46", 5808), (4, "81.39", 5855)]
TRANSFORMER = [(6, "81.03", 7234), (8, "81.86", 7615), (10, "81.63", 8004)]


def stacked(number: int, name: str) -> str:
    return name if number == 1 else f"{number} stacked {name}"


def bilstm(number: int, published: str, parameters: Optional[int] = None) -> List[Row]:
    """Two rows: the paper's BiLSTM (Eq. 1) and PyTorch's."""
    name = stacked(number, "BiLSTM")
    return [
        mr(f"{name} (Eq. 1)", "coupled_lstm", published, parameters, **layers(number)),
        mr(f"{name} (PyTorch's)", "bilstm", published, parameters, **layers(number)),
    ]


def cnn(number: int, published: str, parameters: Optional[int] = None) -> Row:
    return mr(stacked(number, "CNN"), "cnn", published, parameters, **layers(number))


def transformer(number: int, published: str, parameters: Optional[int] = None) -> Row:
    row = mr(f"Transformer (N={number})", "transformer", published, parameters)
    if number == 8:
        return row
    # The Transformer is the second encoder of "compose".
    overrides = {"seq2seq_encoder.encoders.1.num_layers": number}
    return row._replace(run=f"mr_transformer-num_layers_{number}", overrides=overrides)


TABLE_3 = [
    mr("LSTM", "lstm", "80.72", 5977),
    *itertools.chain.from_iterable(bilstm(*figures) for figures in BILSTM),
    mr("S-LSTM", "slstm", "82.64", 8768),
    *(cnn(*figures) for figures in CNN),
    *(transformer(*figures) for figures in TRANSFORMER),
    mr("BiLSTM+Attention (Eq. 1)", "coupled_lstm_attention", "82.37", 7419),
    mr("BiLSTM+Attention (PyTorch's)", "bilstm_attention", "82.37", 7419),
    mr("S-LSTM+Attention", "slstm_attention", "83.07", 8858),
]
TABLE_4 = [
    *bilstm(1, "81.61"),
    *bilstm(2, "81.94"),
    *bilstm(3, "81.71"),
    cnn(3, "81.59"),
    transformer(8, "81.97"),
    mr("S-LSTM", "slstm", "82.45"),
]
# The dataset's name in the files and in the paper; accuracy of S-LSTM, BiLSTM and 2 stacked BiLSTM.
TABLE_5 = [
    ("camera_photo", "Camera", 90.02, 87.05, 88.07),
    ("video", "Video", 86.75, 84.73, 85.23),
    ("health_personal_care", "Health", 86.5, 85.52, 85.89),
    ("music", "Music", 82.04, 78.74, 80.45),
    ("kitchen_housewares", "Kitchen", 84.54, 82.22, 83.77),
    ("dvd", "DVD", 85.52, 83.71, 84.77),
    ("toys_games", "Toys", 85.25, 85.72, 85.82),
    ("baby", "Baby", 86.25, 84.51, 85.45),
    ("books", "Books", 83.44, 82.12, 82.77),
    ("imdb", "IMDB", 87.15, 86.02, 86.55),
    ("MR", "MR", 76.2, 75.73, 75.98),
    ("apparel", "Appeal", 85.75, 86.05, 86.35),
    ("magazines", "Magazines", 93.75, 92.52, 92.89),
    ("electronics", "Electronics", 83.25, 82.51, 82.33),
    ("sports_outdoors", "Sports", 85.75, 84.04, 84.78),
    ("software", "Software", 87.75, 86.73, 86.97),
]


def tagging(corpus: str, config: str, slstm: str, bilstms: List[str]) -> List[Row]:
    rows = []
    for number, published in enumerate(bilstms, start=1):
        for name, encoder in (("Eq. 1", "coupled_lstm"), ("PyTorch's", "bilstm")):
            overrides = layers(number)
            run = "-".join([f"{config}_{encoder}", *(f"num_layers_{n}" for n in overrides.values())])
            row = f"{stacked(number, 'BiLSTM')} ({name})"
            rows.append(Row(row, corpus, f"{config}_{encoder}", run, overrides, published))
    return [*rows, Row("S-LSTM", corpus, f"{config}_slstm", f"{config}_slstm", {}, slstm)]


TABLE_6 = tagging("WSJ", "ptb", "97.55", ["97.35", "97.41", "97.40"])
TABLE_7 = tagging("CONLL", "ner", "91.57", ["90.96", "91.02", "91.06"])
FEEDFORWARD = {
    "model.feedforward": {
        "input_dim": 300,
        "num_layers": 1,
        "hidden_dims": 600,
        "activations": "tanh",
    }
}
PRESETS = [
    mr("`paper`", "slstm", ""),
    mr("`released`", "slstm", "", transition="released")._replace(
        overrides={"transition": "released", **FEEDFORWARD}
    ),
    mr("`fastnlp`", "slstm", "", transition="fastnlp")._replace(
        overrides={"transition": "fastnlp", **FEEDFORWARD}
    ),
]
UNIFORM = {"preset": "released", "initial_state": "uniform"}
PRESETS_TAGGING = [
    Row(name, corpus, config, f"{config}-{name}", overrides, "")
    for corpus, config in (("WSJ", "ptb_slstm"), ("CONLL", "ner_slstm"))
    for name, overrides in (
        ("released", {"hidden_size": 350, "transition": UNIFORM}),
        ("fastnlp", {"transition": "fastnlp"}),
    )
]
DOCUMENTS = ("paper_tables", "cas_lstm_tables")
TABLE = re.compile(r"(<!-- table: (\w+) -->\n).*?(<!-- end of table -->)", re.DOTALL)

# The CAS-LSTM paper. Its numbers of parameters match a perceptron with one hidden layer for the encoder
# of two layers in one direction, and with two hidden layers for all other encoders.
BOTH = {"bidirectional": True}
DEEP = {"model.feedforward.num_layers": 2}


def pairs(corpus: str, name: str, published: str, count: Optional[int], **overrides: Any) -> Row:
    """Return a row of a table of sentence pairs. `name` has the system's layers and directions."""
    config = f"{corpus.lower()}_cas_lstm"
    run = "-".join([config, *(f"{key}_{value}" for key, value in overrides.items())])
    if overrides:
        overrides = {**overrides, **DEEP}
    return Row(name, corpus, config, run, overrides, published, count)


def inference(corpus: str, published: List[str]) -> List[Row]:
    systems = [
        ("2-layer CAS-LSTM", 2900, {}),
        ("2-layer Bi-CAS-LSTM", 6800, BOTH),
        ("3-layer CAS-LSTM", 4800, layers(3)),
        ("3-layer Bi-CAS-LSTM", 8600, {**layers(3), **BOTH}),
    ]
    rows = [
        pairs(corpus, name, figure, count, **overrides)
        for (name, count, overrides), figure in zip(systems, published)
    ]
    return [*rows, *others(corpus)]


def others(corpus: str, kind: str = "") -> List[Row]:
    """Return the systems to compare with, for which the paper has no results."""
    config = kind or corpus.lower()
    return [
        Row("2-layer LSTM (PyTorch's)", corpus, f"{config}_lstm", f"{config}_lstm", {}, ""),
        Row("S-LSTM", corpus, f"{config}_slstm", f"{config}_slstm", {}, ""),
    ]


def treebank(classes: int, published: str, bidirectional: str) -> List[Row]:
    config = f"sst{classes}_cas_lstm"
    return [
        Row(f"2-layer CAS-LSTM, SST-{classes}", "SST", config, config, {}, published),
        Row(f"2-layer Bi-CAS-LSTM, SST-{classes}", "SST", config, f"{config}-both", BOTH, bidirectional),
        *(row._replace(name=f"{row.name}, SST-{classes}") for row in others("SST", f"sst{classes}")),
    ]


SNLI = inference("SNLI", ["86.4", "86.8", "86.4", "87.0"])
MNLI = inference("MNLI", ["74.0 / 73.3", "74.6 / 73.7", "73.8 / 73.1", "74.2 / 73.4"])
QUORA = [
    pairs("QUORA", "CAS-LSTM", "88.4", None),
    pairs("QUORA", "Bi-CAS-LSTM", "88.6", None, **BOTH),
    *others("QUORA"),
]
SST = [*treebank(2, "91.1", "91.3"), *treebank(5, "53.0", "53.6")]
VARIANTS = [
    pairs("SNLI", name, published, None, **layers(3), **BOTH, fusion=fusion)
    for name, fusion, published in (
        ("baseline, λ = 0.5", 0.5, "87.0"),
        ("λ = 0.25", 0.25, "86.8"),
        ("λ = 0.75", 0.75, "86.8"),
        ("trainable λ", "trainable", "86.9"),
        ("no λ", "sum", "86.6"),
        ("peepholes", "peephole", "86.5"),
    )
]


def parameters(row: Row) -> int:
    """Count the model's parameters, without word and character embeddings."""
    settings = ", ".join(row.settings)
    params = Params.from_file(str(ROOT / f"training_config/{row.config}.jsonnet"), f"{{{settings}}}")
    reader = DatasetReader.from_params(params["dataset_reader"])
    data = str(ROOT / params["train_data_path"])
    vocabulary = Vocabulary.from_instances(reader.read(data))
    model = Model.from_params(params["model"], vocab=vocabulary)
    return sum(
        weight.numel() for name, weight in model.named_parameters() if "text_field_embedder" not in name
    )


def table(rows: List[Row], published: str) -> str:
    """Format the rows, with parameters if the paper has them, and their commands."""
    counted = any(row.parameters for row in rows)
    header = ["", published, *(["paper's # Param", "ours without embeddings"] if counted else []), "run"]
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    for row in rows:
        paper = f"{row.parameters:,}K" if row.parameters else ""
        counts = [paper, f"{parameters(row) / 1000:,.0f}K"] if counted else []
        lines.append("| " + " | ".join([row.name, row.published, *counts, f"`{row.run}`"]) + " |")
    return "\n".join([*lines, "", *shell(rows)])


def shell(rows: List[Row]) -> List[str]:
    """Return the lines of a block with the commands."""
    return ["```sh", *dict.fromkeys(row.command for row in rows), "```", ""]


def tables() -> Dict[str, str]:
    """Return the text for each table of the pages."""
    # In decimals: one mean is halfway between two hundredths, and Python 3.12 changed the sum of floats.
    columns = list(zip(*TABLE_5))[2:]
    means = [statistics.mean(Decimal(str(value)) for value in column) for column in columns]
    table_5 = [
        "| paper's name | `dataset` | S-LSTM | BiLSTM | 2 stacked BiLSTM |",
        "|---|---|---|---|---|",
        *(
            f"| {name} | `{dataset}` | {a:.2f} | {b:.2f} | {c:.2f} |"
            for dataset, name, a, b, c in TABLE_5
        ),
        "| mean of the rows | | " + " | ".join(f"{mean:.2f}" for mean in means) + " |",
        '| "Average" in the table | | 85.38 | 84.01 | 84.64 |',
        "",
    ]
    return {
        "TABLE_2": table(TABLE_2, "dev accuracy"),
        "TABLE_3": table(TABLE_3, "dev accuracy"),
        "TABLE_4": table(TABLE_4, "test accuracy"),
        "TABLE_5": "\n".join(table_5),
        "TABLE_6": table(TABLE_6, "test accuracy"),
        "TABLE_7": table(TABLE_7, "test F1"),
        "PRESETS": "\n".join(shell([*PRESETS, *PRESETS_TAGGING])),
        "SNLI": table(SNLI, "test accuracy"),
        "MNLI": table(MNLI, "matched / mismatched"),
        "QUORA": table(QUORA, "test accuracy"),
        "SST": table(SST, "SST-2 and SST-5, test accuracy"),
        "VARIANTS": table(VARIANTS, "test accuracy"),
    }


def main(folder: pathlib.Path = ROOT / "docs") -> None:
    warnings.simplefilter("ignore")
    contents = tables()
    for name in DOCUMENTS:
        page = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
        written = TABLE.sub(lambda block: block[1] + contents[block[2]] + block[3], page)
        (folder / f"{name}.md").write_text(written, encoding="utf-8")


if __name__ == "__main__":
    main(*map(pathlib.Path, sys.argv[1:]))
