import argparse
from contextlib import ExitStack
from typing import Any, Dict, Iterator, List, NamedTuple, Tuple

import numpy
import torch
from allennlp.commands import Subcommand
from allennlp.common.checks import ConfigurationError
from allennlp.common.util import lazy_groups_of
from torch import Tensor

from slstm_allennlp.common.arguments import positive
from slstm_allennlp.common.errors import NotFinite
from slstm_allennlp.common.extras import needs
from slstm_allennlp.comparison.figures import drawing
from slstm_allennlp.comparison.folders import write_json
from slstm_allennlp.inside.hooks import after_forward
from slstm_allennlp.inside.inputs import add_input_arguments, open_all
from slstm_allennlp.modules import CellAwareStackedLSTM
from slstm_allennlp.ops.cas_lstm import CasLstmStates

BINS = 50  # of equal width, from 0 to 1
QUANTITIES = {
    "gate": "g, the vertical forget gate",
    "range": "R(g), its range over the dimensions of a word",
    "difference": "|g - o'|, its distance to the output gate below",
}


class Histogram:
    """Counts of numbers from 0 to 1, with their mean and standard deviation."""

    def __init__(self) -> None:
        self.counts = numpy.zeros(BINS, dtype=numpy.int64)
        self._sum = self._sum_of_squares = 0.0

    def add(self, values: Tensor) -> None:
        numbers = values.double().cpu().numpy()
        self.counts += numpy.histogram(numbers, bins=BINS, range=(0.0, 1.0))[0]
        self._sum += float(numbers.sum())
        self._sum_of_squares += float((numbers**2).sum())

    def as_dict(self) -> Dict[str, Any]:
        """Return `count`, `mean`, `std` and the `counts` of the bins."""
        count = int(self.counts.sum())
        mean = self._sum / count
        variance = max(0.0, self._sum_of_squares / count - mean**2)
        return {"count": count, "mean": mean, "std": variance**0.5, "counts": self.counts.tolist()}


class Place(NamedTuple):
    """The position of gates: the encoder's name in the model, the layer (from 2 on), the direction."""

    encoder: str
    layer: int
    direction: str

    def __str__(self) -> str:
        return f"{self.encoder}, layer {self.layer}, {self.direction}"


class GateHistograms:
    """
    Record every `CellAwareStackedLSTM` of a model within this context: count the values of its vertical
    forget gates at real words, not padding. Its forward pass is computed twice. `ValueError` for a model
    without one of two layers or more, and for gates that are not finite.
    """

    def __init__(self, model: torch.nn.Module) -> None:
        self._encoders = {
            module: name
            for name, module in model.named_modules()
            if isinstance(module, CellAwareStackedLSTM) and module.num_layers > 1
        }
        if not self._encoders:
            raise ValueError(
                f"{type(model).__name__} has no CAS-LSTM of two layers or more, expected one"
            )
        self.histograms: Dict[Place, Dict[str, Histogram]] = {}
        self._hooks = ExitStack()

    def __enter__(self) -> "GateHistograms":
        for encoder in self._encoders:
            self._hooks.enter_context(after_forward(encoder, self._record))
        return self

    def __exit__(self, *_: Any) -> None:
        self._hooks.close()

    def _record(self, module: CellAwareStackedLSTM, arguments: Tuple[Any, ...], _: Any) -> None:
        inputs, mask = arguments
        if mask is None:
            mask = torch.ones(inputs.shape[:2], device=inputs.device)
        mask = mask.bool()  # the module takes 0 and 1, too
        if not mask.any():
            return
        with torch.no_grad():
            states = module.states(inputs, mask)
        for place, values in _values(self._encoders[module], states, mask):
            histograms = self.histograms.setdefault(place, {key: Histogram() for key in QUANTITIES})
            for key, numbers in values.items():
                if not numbers.isfinite().all():
                    raise NotFinite(f"{place}: the {key} is not finite, expected numbers from 0 to 1")
                histograms[key].add(numbers)


def _values(
    encoder: str, states: List[CasLstmStates], mask: Tensor
) -> Iterator[Tuple[Place, Dict[str, Tensor]]]:
    """Yield the values for the three histograms, for each layer above the first and each direction."""
    for number in range(1, len(states)):
        gates, outputs_below = states[number].g, states[number - 1].o
        assert gates is not None and outputs_below is not None
        for d, direction in enumerate(("forward", "backward")[: gates.size(2)]):
            g, o = gates[mask][:, d], outputs_below[mask][:, d]  # (words, hidden_size)
            yield (
                Place(encoder, number + 1, direction),
                {
                    "gate": g.flatten(),
                    "range": g.amax(dim=1) - g.amin(dim=1),
                    "difference": (g - o).abs().flatten(),
                },
            )


@Subcommand.register("cas-lstm-gates")
class CasLstmGates(Subcommand):
    """
    Draw the gate analysis of the CAS-LSTM paper (Section 4.5, Figure 4) for a trained archive:
    histograms of the vertical forget gates g of every layer above the first, of their range over a
    word's dimensions, and of their distance to the output gates of the layer below.

        allennlp cas-lstm-gates model.tar.gz sentences.jsonl --output-dir gates --sample 1000

    It writes the numbers to `gates.json` and the pictures to `gates.png` in the output folder.
    """

    def add_subparser(self, parser: argparse._SubParsersAction) -> argparse.ArgumentParser:
        subparser = parser.add_parser(
            self.name,
            description="Histograms of a CAS-LSTM's vertical forget gates (Figure 4 of its paper).",
            help="Histograms of the gates of a CAS-LSTM.",
        )
        add_input_arguments(subparser, "a CAS-LSTM encoder", "gates.json and gates.png")
        subparser.add_argument("--batch-size", type=positive, default=32, help="inputs per batch")
        subparser.set_defaults(func=cas_lstm_gates)
        return subparser


def cas_lstm_gates(arguments: argparse.Namespace) -> None:
    """Write the numbers and pictures to the output folder, and print a summary."""
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
