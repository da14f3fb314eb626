"""Plans, and the files of completed runs, made by hand."""

import json

from slstm_allennlp.comparison.folders import ComparisonFolder, write_json
from slstm_allennlp.comparison.plan import Metric, Plan, System
from slstm_allennlp.dataset_readers.parts import checksums
from slstm_allennlp.predictors.predictions import Prediction, write_predictions


def config(**encoder):
    """Return the part of a classifier's config that a comparison reads."""
    return {
        "test_data_path": "test.txt",
        "model": {"type": "basic_classifier", "seq2vec_encoder": encoder},
        "trainer": {"num_epochs": 2, "validation_metric": "+accuracy"},
    }


def plan(*names, seeds=(1, 2), metric="accuracy"):
    """Return a plan for systems that differ in their size."""
    systems = [System(name, config(type="lstm", hidden_size=size)) for size, name in enumerate(names)]
    return Plan(systems, list(seeds), names[0], Metric(metric))


def change(path, **values):
    """Change the values of some keys in a JSON file."""
    write_json(path, {**json.loads(path.read_text()), **values})


def write_epoch(folder, number, **metrics):
    metrics = {"training_duration": f"0:00:{10 * (number + 1):02d}", "best_epoch": number, **metrics}
    write_json(folder.path / f"metrics_epoch_{number}.json", metrics)


def write_run(comparison: ComparisonFolder, run, right, *, gold=("a", "b", "a", "b"), **training):
    """
    Write a completed run. Sentence i has i words, and `right` says if its prediction is right.
    `training` overrides values of training.json.
    """
    folder = comparison.run(run)
    write_json(folder.config, run.config)
    write_json(folder.checksums, checksums(run.config))
    for number, dev in enumerate((0.4, 0.5)):
        metrics = {"validation_accuracy": dev, "best_validation_accuracy": dev}
        write_epoch(folder, number, training_loss=2.0 - number, **metrics)
    other = {"a": "b", "b": "a"}
    predictions = [
        Prediction(length, label, label if is_right else other[label])
        for length, (label, is_right) in enumerate(zip(gold, right), start=1)
    ]
    write_predictions(folder.predictions, predictions)
    measured = {"test_metrics": {"accuracy": sum(right) / len(right), "loss": 1.5}, "test_seconds": 0.5}
    write_json(folder.measurements, {**measured, "parameters": 1234, "trained_parameters": 1000})
    memory = {"peak_memory_bytes": 512 * 1024 * 1024, "peak_memory_of": "CPU"}
    conditions = {"device": "CPU (2 cores)", "threads": 1, "runs_at_a_time": 1, "torch": "2.13.0"}
    write_json(folder.training, {**memory, **conditions, **training})
    comparison.log(run).parent.mkdir(parents=True, exist_ok=True)
    comparison.log(run).write_text("the log\n")
    return folder
