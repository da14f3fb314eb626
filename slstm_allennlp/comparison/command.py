import argparse
import contextlib
import functools
import json
import os
import sys
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple

import torch
from allennlp.commands import Subcommand
from allennlp.common import logging as common_logging
from allennlp.common.checks import ConfigurationError
from allennlp.common.params import parse_overrides
from allennlp.common.util import SigTermReceived

from slstm_allennlp.common.arguments import positive
from slstm_allennlp.common.extras import needs
from slstm_allennlp.common.mistakes import MISTAKE
from slstm_allennlp.common.training_keys import section
from slstm_allennlp.comparison.folders import ComparisonFolder, write_json
from slstm_allennlp.comparison.plan import DEFAULT_SEEDS, Plan, Run, plan_from_options
from slstm_allennlp.comparison.progress import Progress
from slstm_allennlp.comparison.report import cautions, summary, write_report
from slstm_allennlp.comparison.results import Results
from slstm_allennlp.comparison.runner import (
    Failure,
    Resources,
    Runner,
    logged_warnings,
    num_cores,
    recorded_failures,
)
from slstm_allennlp.console.train import add_own_data, own_data_options


@Subcommand.register("compare")
class Compare(Subcommand):
    """
    Compare systems: train each with every seed, evaluate the best models on the test set, and write a
    report with significance tests and pictures (`report.md`, `report.html` and `report.json`).

        allennlp compare lstm.jsonnet slstm.jsonnet --output-dir output/comparison
        allennlp compare reviews_slstm reviews_bert --data reviews.csv --output-dir output/reviews
        allennlp compare slstm.jsonnet --output-dir output/steps \\
          --sweep '{"model.seq2vec_encoder.num_steps": [1, 3, 5, 7, 9, 11],
                    "model.seq2vec_encoder.window_size": [1, 2]}'

    The same command, run again, resumes interrupted runs and skips finished ones. If a run fails, the
    report has the end of its log, and the exit status is 1.
    """

    def add_subparser(self, parser: argparse._SubParsersAction) -> argparse.ArgumentParser:
        subparser = parser.add_parser(
            self.name,
            description="Train and test several configs with several seeds, and report the differences.",
            help="Compare configs over seeds.",
        )
        add = subparser.add_argument
        flag = functools.partial(add, action="store_true")
        add(
            "configs",
            nargs="+",
            help="configs, by their files or by names that `slstm config` lists, such as `compare "
            "mr_bilstm mr_slstm --output-dir output/mr`; or one comparison file with the key `systems`",
        )
        add("--output-dir", required=True, type=Path, help="folder for the runs and the report")
        add("--names", nargs="+", help="names of the configs (default their file names)")
        seeds = " ".join(map(str, DEFAULT_SEEDS))
        add("--seeds", nargs="+", type=int, help=f"random seeds for every system (default {seeds})")
        add("--baseline", help="system to compare the others to (default the first)")
        add(
            "--metric",
            help="such as +accuracy, or --metric=-loss (default the configs' trainer.validation_metric)",
        )
        add(
            "-o",
            "--overrides",
            type=_overrides,
            help="JSON overrides for all configs, as for `allennlp train`",
        )
        add(
            "--variant",
            action="append",
            dest="variants",
            default=[],
            type=_variant,
            metavar="NAME=JSON",
            help="named overrides, repeatable: each config with each variant is a system",
        )
        add(
            "--sweep",
            type=_overrides,
            help='JSON of keys with lists of values, such as {"model.encoder.num_steps": [3, 5, 7]}: '
            "each config with each combination of values is a system",
        )
        flag(
            "--linear",
            help="add a system: a linear model for the baseline's task, on the same instances",
        )
        add("--jobs", type=positive, help="parallel runs (default one per device of --devices, or one)")
        add("--devices", nargs="+", type=int, help="GPUs to distribute over the runs; -1 is the CPU")
        flag("--time-over-length", help="also measure training time over sentence length")
        add(
            "--resamples",
            type=positive,
            default=9999,
            help="resamples in the tests over sentences",
        )
        flag("--report-only", help="run nothing, only report the finished runs")
        flag("--file-friendly-logging", help="show progress as lines instead of a bar")
        add_own_data(subparser)
        subparser.set_defaults(func=compare)
        return subparser


def compare(arguments: argparse.Namespace) -> None:
    """Perform the runs and write the report in the output folder."""
    needs("matplotlib", "compare")  # the report's, before the long work
    common_logging.FILE_FRIENDLY_LOGGING = arguments.file_friendly_logging
    variants = dict(arguments.variants)
    if len(variants) < len(arguments.variants):
        names = ", ".join(name for name, _ in arguments.variants)
        raise ConfigurationError(f"compare: --variant has {names}, expected different names")
    options = ("configs", "names", "sweep", "overrides", "seeds", "baseline", "metric", "linear")
    given = {option: getattr(arguments, option) for option in options}
    own_data = own_data_options(arguments)
    given["own_data"] = own_data if own_data["data"] else None
    plan = plan_from_options(**given, variants=variants)
    folder = ComparisonFolder(arguments.output_dir)
    for run in plan.runs():
        folder.expect_run(run)

    def is_done(run: Run) -> bool:
        return folder.run(run).is_done(time_over_length=arguments.time_over_length)

    if arguments.report_only:
        failures = recorded_failures(folder, plan.runs(), is_done)
    else:
        failures = _run(plan, folder, is_done, arguments)
    results = Results(plan, folder, num_resamples=arguments.resamples)
    if not results.done and not failures:
        what = f"has a number for {plan.metric.name}" if results.without_score else "is done there"
        if results.outdated and not results.without_score:
            what = f"of these options and data is done there ({results.outdated[0].name} is of others)"
        raise ConfigurationError(f"{folder.path}: no run {what}, expected one to report")
    print("Writing the report", file=sys.stderr)
    path = write_report(results, failures)
    for caution in cautions(results, failures):
        print(f"warning: {caution.text}", file=sys.stderr)
    print("\n".join([*summary(results), f"The report: {path}, {path.with_suffix('.html')}"]))
    _print_failures(failures)
    if failures:
        sys.exit(1)


def _run(
    plan: Plan, folder: ComparisonFolder, is_done: Callable[[Run], bool], arguments: argparse.Namespace
) -> List[Failure]:
    runs = plan.runs()
    left = [run for run in runs if not is_done(run)]
    jobs, devices = arguments.jobs, arguments.devices or []
    if devices:
        _check_devices(devices, left)
    resources = Resources(jobs or max(1, len(devices)), devices)
    # This package, too, in case AllenNLP found the command without `.allennlp_plugins`.
    options = [f"--include-package={name}" for name in ["slstm_allennlp", *arguments.include_package]]
    options.append(f"--runs-at-a-time={resources.jobs_of_a_device}")
    if arguments.time_over_length:
        options.append("--time-over-length")

    def worker(run: Run) -> List[str]:
        module = [sys.executable, "-m", "slstm_allennlp.comparison.worker"]
        return [*module, str(folder.config(run)), str(folder.run(run).path), *options]

    def expect_metric(run: Run) -> None:
        """Check the metric's name after the first epoch of a run, not only at its end."""
        names = folder.run(run).validation_metrics()
        if names and plan.metric.name not in names:  # empty without a validation set
            raise ConfigurationError(
                f"compare: the metric is {plan.metric.name}, which {run.system} does not have, "
                f"expected by --metric one of {', '.join(names)}"
            )

    runner = Runner(folder, resources, worker, is_done, watch=expect_metric)
    with folder.locked() as lock:
        for run in left:
            write_json(folder.config(run), run.config)
        if not left:
            return []
        if jobs is None and not devices:
            for hint in more_at_a_time(left, num_cores(), torch.cuda.device_count()):
                print(hint, file=sys.stderr)
        try:
            with contextlib.closing(Progress(folder, left, num_done=len(runs) - len(left))) as progress:
                failures = runner(left, progress, lock)
            for warning in dict.fromkeys(
                text for run in left for text in logged_warnings(folder.log(run))
            ):
                print(f"warning: {warning}", file=sys.stderr)
            return failures
        except (KeyboardInterrupt, SigTermReceived):
            print(
                f"Interrupted. Finished work is in {folder.path}; run the same command again to resume.",
                file=sys.stderr,
            )
            sys.exit(130)


def _check_devices(devices: Sequence[int], runs: Sequence[Run]) -> None:
    for device in devices:
        if not -1 <= device < torch.cuda.device_count():
            raise ConfigurationError(
                f"compare: --devices has {device}, expected -1 for the CPU or the number of a GPU, of "
                f"which PyTorch sees {torch.cuda.device_count()}"
            )
    for run in runs:
        if fixed := _fixed_device(run):
            raise ConfigurationError(
                f"compare: the config of {run.system} has {fixed}, expected neither trainer.cuda_device "
                "nor distributed with --devices, which assigns the devices"
            )


def _fixed_device(run: Run) -> Optional[str]:
    """Return the setting by which a config selects its device, or None."""
    device = section(run.config, "trainer").get("cuda_device")
    if device is not None:
        return f"trainer.cuda_device {device}"
    return None if run.config.get("distributed") is None else "distributed"


def more_at_a_time(runs: Sequence[Run], num_cores: int, num_gpus: int) -> Iterator[str]:
    """Yield hints on options that would use idle GPUs or cores."""
    if any(map(_fixed_device, runs)):
        return
    gpus = min(num_gpus, len(runs))
    if gpus > 1:
        devices = " ".join(map(str, range(gpus)))
        yield f"One run at a time, with {num_gpus} GPUs here: --devices {devices} gives each GPU a run."
    # Jobs share the cores, unless OMP_NUM_THREADS, which PyTorch has read, sets the threads of each.
    threads = torch.get_num_threads() if os.environ.get("OMP_NUM_THREADS") else 1
    jobs = min(num_cores // threads, len(runs))
    if not num_gpus and jobs > 1:
        yield (
            f"One run at a time, so that times are comparable: --jobs {jobs} does {jobs} at a time, if "
            "memory allows."
        )


def _print_failures(failures: Sequence[Failure]) -> None:
    """Print the end of each failure's log, and each user error once per system instead of per seed."""
    printed = set()
    for failure in failures:
        if failure.mistake is None:
            print(f"\n{failure.run.name} {failure.reason}; the end of {failure.log}:", file=sys.stderr)
            print("\n".join(f"  {line}" for line in failure.tail), file=sys.stderr)
        elif (failure.run.system, failure.mistake) not in printed:
            printed.add((failure.run.system, failure.mistake))
            print(f"{MISTAKE}{failure.run.system}: {failure.mistake}", file=sys.stderr)


def _overrides(text: str) -> Dict[str, Any]:
    try:
        value = parse_overrides(text)
    except (RuntimeError, json.JSONDecodeError) as error:
        raise argparse.ArgumentTypeError(f"it is {text!r}, expected a JSON object: {error}") from None
    if not isinstance(value, dict):
        raise argparse.ArgumentTypeError(f"it is {text!r}, expected a JSON object")
    return value


def _variant(text: str) -> Tuple[str, Dict[str, Any]]:
    name, equals, overrides = text.partition("=")
    if not equals or not name:
        raise argparse.ArgumentTypeError(f"it is {text!r}, expected NAME=JSON")
    return name, _overrides(overrides)
