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

    The input file is as for `allennlp predict` with this archive: JSON objects or texts, one per line,
    or a file that the model can be trained on. The command writes the numbers to `gates.json` and the
    pictures to `gates.png` in the output folder. AllenNLP finds the command in a folder whose
    `.allennlp_plugins` names this package.

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
    report = _report(histograms.histograms)
    write_json(folder / "gates.json", {"lines": len(inputs), **report})
    with drawing(folder / "gates.png", (3.6, 2.7), len(QUANTITIES), len(histograms.histograms)) as axes:
        _draw(axes, histograms.histograms)
    for place in report["places"]:
        for key in QUANTITIES:
            numbers = place[key]
            print(f"{place['name']}: {key} {numbers['mean']:.3f} ± {numbers['std']:.3f}")


def _report(histograms: Dict[Place, Dict[str, Histogram]]) -> Dict[str, Any]:
    places: List[Dict[str, Any]] = [
        {
            "name": str(place),
            **place._asdict(),
            **{key: histogram.as_dict() for key, histogram in of_place.items()},
        }
        for place, of_place in histograms.items()
    ]
    edges = [number / BINS for number in range(BINS + 1)]
    return {"quantities": QUANTITIES, "bin_edges": edges, "places": places}


def _draw(axes: numpy.ndarray, histograms: Dict[Place, Dict[str, Histogram]]) -> None:
    """Draw the histograms, with a column per layer and direction and a row per quantity."""
    width = 1 / BINS
    for column, (place, of_place) in zip(axes.T, histograms.items()):
        for axis, (key, label) in zip(column, QUANTITIES.items()):
            counts = of_place[key].counts
            middles = [(number + 0.5) * width for number in range(BINS)]
            axis.bar(middles, counts / counts.sum(), width=width, color="0.45")
            axis.set_xlim(0, 1)
            axis.set_xlabel(label, fontsize=8)
            axis.tick_params(labelsize=8)
        column[0].set_title(f"layer {place.layer}, {place.direction}\n{place.encoder}", fontsize=8)
    for axis in axes[:, 0]:
        axis.set_ylabel("share of values", fontsize=8)
