"""
Prints a Markdown table of finished runs, one row a system, over its seeds:
python experiments/summarize.py OUT, where OUT holds a folder SYSTEM-SEED for each run.
"""

import collections
import json
import pathlib
import re
import statistics
import sys
from typing import Any, Dict, List

import torch


def seconds(duration: str) -> float:
    """Seconds of what AllenNLP writes as a duration: `1:02:03.5`, with `2 days, ` before it or not."""
    days, hours, minutes, rest = re.fullmatch(
        r"(?:(\d+) days?, )?(\d+):(\d+):([\d.]+)", duration
    ).groups()  # type: ignore[union-attr]
    return ((int(days or 0) * 24 + int(hours)) * 60 + int(minutes)) * 60 + float(rest)


def mean_and_spread(values: List[float]) -> str:
    spread = f" ± {100 * statistics.stdev(values):.2f}" if len(values) > 1 else ""
    each = ", ".join(f"{100 * value:.2f}" for value in values)
    return f"{100 * statistics.mean(values):.2f}{spread} ({each})"


def parameters(run: pathlib.Path) -> Dict[str, int]:
    state = torch.load(run / "best.th", map_location="cpu")
    encoders = ("encoder.", "_seq2vec_encoder.", "_encoder.")  # of taggers, of classifiers, of pairs
    encoder = sum(tensor.numel() for name, tensor in state.items() if name.startswith(encoders))
    return {"encoder": encoder, "all": sum(tensor.numel() for tensor in state.values())}


def main(out: pathlib.Path) -> None:
    systems: Dict[str, List[Dict[str, Any]]] = collections.defaultdict(list)
    for path in sorted(out.glob("*-*/metrics.json")):
        metrics = json.loads(path.read_text())
        systems[path.parent.name.rsplit("-", 1)[0]].append({**metrics, "run": path.parent})
    print("| system | seeds | dev | test | best epoch | parameters: encoder | all | s / epoch |")
    print("|---|---|---|---|---|---|---|---|")
    for system, runs in systems.items():
        score = "accuracy" if "test_f1-measure-overall" not in runs[0] else "f1-measure-overall"
        size = parameters(runs[0]["run"])
        epochs = [seconds(run["training_duration"]) / (run["epoch"] + 1) for run in runs]
        cells = [
            system,
            str(len(runs)),
            mean_and_spread([run[f"best_validation_{score}"] for run in runs]),
            mean_and_spread([run[f"test_{score}"] for run in runs]),
            ", ".join(str(run["best_epoch"] + 1) for run in runs),
            f"{size['encoder']:,}",
            f"{size['all']:,}",
            ", ".join(f"{value:.0f}" for value in epochs),
        ]
        print("| " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
