import argparse
from typing import Any, Dict, List

import numpy
from allennlp.commands import Subcommand
from allennlp.common.checks import ConfigurationError
from allennlp.common.util import lazy_groups_of

from slstm_allennlp.common.arguments import positive
from slstm_allennlp.common.extras import needs
from slstm_allennlp.comparison.figures import drawing
from slstm_allennlp.comparison.folders import write_json
from slstm_allennlp.inside.gate_histograms import BINS, QUANTITIES, GateHistograms, Histogram, Place
from slstm_allennlp.inside.inputs import add_input_arguments, open_all


@Subcommand.register("cas-lstm-gates")
class CasLstmGates(Subcommand):
    """
    Draw the gate analysis of the CAS-LSTM paper (Section 4.5, Figure 4) for a trained archive:
    histograms of the vertical forget gates g of every layer above the first, of their range over a
    word's dimensions, and of their distance to the output gates of the layer below.

        allennlp cas-lstm-gates model.tar.gz sentences.jsonl --output-dir gates --sample 1000

    It writes the numbers to `gates.json` and the pictures to `gates.png` in the output folder.

    Registered as a `Subcommand` with name "cas-lstm-gates".
    """

    def add_subparser(self, parser: argparse._SubParsersAction) -> argparse.ArgumentParser:
        subparser = parser.add_parser(
            self.name,
            description="Histograms of a CAS-LSTM's vertical forget gates (Figure 4 of its paper).",
            help="Histograms of the gates of a CAS-LSTM.",
        )
        add_input_arguments(subparser, "a CAS-LSTM encoder", "gates.json and gates.png")
        subparser.add_argument(
            "--batch-size", type=positive, default=32, help="inputs per batch (default 32)"
        )
        subparser.set_defaults(func=cas_lstm_gates)
        return subparser


def cas_lstm_gates(arguments: argparse.Namespace) -> None:
    """Run the command: write the numbers and pictures to the output folder, and print a summary."""
    needs("matplotlib", "compare")  # before the long work
    folder, predictor, histograms, inputs = open_all(arguments, GateHistograms)
    with histograms:
        for batch in lazy_groups_of(inputs, arguments.batch_size):
            predictor.predict_batch_json(batch)
    if not histograms.histograms:
        raise ConfigurationError(f"{arguments.input_file}: no words in the file, expected sentences")
    with drawing(folder / "gates.png", (3.6, 2.7), len(QUANTITIES), len(histograms.histograms)) as axes:
        _draw(axes, histograms.histograms)
    places: List[Dict[str, Any]] = []
    for place, of_place in histograms.histograms.items():
        numbers = {key: histogram.as_dict() for key, histogram in of_place.items()}
        places.append({"name": str(place), **place._asdict(), **numbers})
        for key, of in numbers.items():
            print(f"{place}: {key} {of['mean']:.3f} ± {of['std']:.3f}")
    edges = [number / BINS for number in range(BINS + 1)]
    report = {"lines": len(inputs), "quantities": QUANTITIES, "bin_edges": edges, "places": places}
    write_json(folder / "gates.json", report)


def _draw(axes: numpy.ndarray, histograms: Dict[Place, Dict[str, Histogram]]) -> None:
    """Draw the histograms, with a column per layer and direction and a row per quantity."""
    middles = (numpy.arange(BINS) + 0.5) / BINS
    for column, (place, of_place) in zip(axes.T, histograms.items()):
        for axis, (key, label) in zip(column, QUANTITIES.items()):
            counts = of_place[key].counts
            axis.bar(middles, counts / counts.sum(), width=1 / BINS, color="0.45")
            axis.set_xlim(0, 1)
            axis.set_xlabel(label, fontsize=8)
            axis.tick_params(labelsize=8)
        column[0].set_title(f"layer {place.layer}, {place.direction}\n{place.encoder}", fontsize=8)
    for axis in axes[:, 0]:
        axis.set_ylabel("share of values", fontsize=8)
