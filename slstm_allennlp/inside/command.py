import argparse
import json
from dataclasses import asdict
from functools import partial
from typing import Any, Dict, List

from allennlp.commands import Subcommand
from allennlp.common.checks import ConfigurationError

from slstm_allennlp.common.arguments import positive
from slstm_allennlp.common.errors import CorpusError
from slstm_allennlp.inside import TraceRecorder, page, report_of
from slstm_allennlp.inside.inputs import add_input_arguments, open_all


@Subcommand.register("slstm-inside")
class SlstmInside(Subcommand):
    """
    Show the recurrent steps of a trained S-LSTM on sentences: how much of each word's new cell comes
    from its left, itself, its right, the sentence and the input; how much the states change, and whether
    they converge; and how much of each word's cell the sentence nodes take. The model's prediction is
    beside them.

        allennlp slstm-inside model.tar.gz sentences.jsonl --output-dir inside --sample 20

    It writes `inside.json`, with the numbers (see `slstm_allennlp.inside.report_of`), and `inside.html`,
    a self-contained page that shows them for one sentence and one step at a time.
    """

    def add_subparser(self, parser: argparse._SubParsersAction) -> argparse.ArgumentParser:
        subparser = parser.add_parser(
            self.name,
            description="Show the recurrent steps of a trained S-LSTM on sentences, as a page.",
            help="Look inside an S-LSTM.",
        )
        add_input_arguments(subparser, "an S-LSTM encoder", "inside.json and inside.html")
        subparser.add_argument(
            "--tolerance",
            type=_rate,
            default=0.01,
            help="largest relative change of a converged state",
        )
        subparser.add_argument(
            "--more-steps",
            type=positive,
            default=0,
            help="steps to show after the encoder's own; the prediction is without them",
        )
        subparser.set_defaults(func=slstm_inside)
        return subparser


def slstm_inside(arguments: argparse.Namespace) -> None:
    """Write the numbers and the page to the output folder, and print a summary."""
    recorder_of = partial(TraceRecorder, more_steps=arguments.more_steps)
    folder, predictor, recorder, inputs = open_all(arguments, recorder_of)
    encoders: Dict[str, Any] = {}
    results: List[Dict[str, Any]] = []
    with recorder:
        for given in inputs:  # one by one, to match readings with inputs
            try:
                (prediction,) = predictor.predict_batch_json([given])
            except ValueError as error:
                where = f"{arguments.input_file}: {json.dumps(given, ensure_ascii=False)}"
                raise CorpusError(f"{where}: {error}") from error
            readings = recorder.take()
            encoders.update({reading.encoder: asdict(reading.settings) for reading in readings})
            reports = [report_of(reading, arguments.tolerance) for reading in readings]
            results.append({"input": given, "prediction": prediction, "readings": reports})
    if not encoders:
        raise ConfigurationError(f"{arguments.input_file}: no words in the file, expected sentences")
    report = {
        "archive": arguments.archive_file,
        "input_file": arguments.input_file,
        "tolerance": arguments.tolerance,
        "encoders": encoders,
        "inputs": results,
    }
    text = json.dumps(report, ensure_ascii=False, allow_nan=False)
    (folder / "inside.json").write_text(text + "\n", encoding="utf-8")
    (folder / "inside.html").write_text(page(report), encoding="utf-8")
    for result in results:
        for reading in result["readings"]:
            print(_summary(reading))
    print(f"The page: {folder / 'inside.html'}")


def _summary(reading: Dict[str, Any]) -> str:
    """Format the sentence, and from which step on its states have converged."""

    def of(what: str) -> str:
        step = reading["converged"][what]
        return "in every step" if step is None else f"until step {step}"

    rest = f"words change {of('words')}"
    if reading["nodes"]:
        rest += f", the sentence {of('nodes')}"
    return f"{' '.join(reading['words'])}\n  {reading['encoder']}, {reading['steps']} steps; {rest}"


def _rate(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 < value < 1:
        raise argparse.ArgumentTypeError(f"it is {text!r}, expected a number between 0 and 1")
    return value
