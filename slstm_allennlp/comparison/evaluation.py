"""Measurements of a trained run: its best model on the test set, its size and its speed."""

import re
import time
from pathlib import Path
from typing import Any, Dict, List, Tuple

import torch
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.common.util import lazy_groups_of, peak_cpu_memory
from allennlp.data import Batch, DataLoader, DatasetReader, Instance
from allennlp.models import Archive, Model, load_archive
from allennlp.nn.util import move_to_device
from allennlp.training.util import evaluate

from slstm_allennlp.common.training_keys import is_fitted, section
from slstm_allennlp.linear import FittedModel
from slstm_allennlp.models.summary import num_weights
from slstm_allennlp.predictors.predictions import Prediction, length_of, prediction_of
from slstm_allennlp.predictors.text_input import batches_by_length, predictions_of
from slstm_allennlp.training.all_data import on_all_data

_BATCH_SIZE = 32  # if the config has none
_GROUPS = 10  # of training sentences by their length, as in the S-LSTM paper's Figure 5
_BATCHES = 5  # per group, at most


class TrainedRun:
    """The best model of a run, loaded from its archive, and the data of the run's config."""

    def __init__(self, archive_file: str, config: Dict[str, Any]) -> None:
        self._config = config
        self._device = device_of(config)
        self._archive: Archive = load_archive(archive_file, cuda_device=self._device)
        self.model: Model = self._archive.model
        self.model.eval()  # AllenNLP loads it in training mode, with dropout
        self._batch_size = batch_size_of(config)
        # The archive does not record which parameters `no_grad` froze.
        frozen = section(config, "trainer").get("no_grad") or []
        for name, parameter in self.model.named_parameters():
            if any(re.search(regex, name) for regex in frozen):
                parameter.requires_grad_(False)

    def measure(self) -> Dict[str, Any]:
        """
        Return `test_metrics`, as from `allennlp evaluate`, but on the whole test set; `test_seconds` of
        this evaluation, after reading the corpus and a warm-up; `parameters` and `trained_parameters`.
        """
        reader = self._archive.validation_dataset_reader
        loader_config = self._config.get("validation_data_loader") or self._config["data_loader"]
        loader = DataLoader.from_params(
            Params(on_all_data(loader_config)), reader=reader, data_path=self._config["test_data_path"]
        )
        loader.index_with(self.model.vocab)
        with torch.no_grad():  # a batch as warm-up, so that compilation and allocation are not timed
            self.model(**move_to_device(next(iter(loader)), self._device))
        self.model.get_metrics(reset=True)
        start = time.perf_counter()
        metrics = evaluate(self.model, loader, cuda_device=self._device)
        seconds = time.perf_counter() - start
        weights = dict(zip(("parameters", "trained_parameters"), num_weights(self.model).values()))
        return {"test_metrics": metrics, "test_seconds": seconds, **weights}

    def predict(self) -> List[Prediction]:
        """Return the predictions in the order of the test set."""
        instances = self._read(self._archive.validation_dataset_reader, "test_data_path")
        batches = batches_by_length(instances, self.model)
        predictions = predictions_of(self.model, instances, batches, prediction_of)
        self.model.get_metrics(reset=True)
        return predictions

    def time_over_length(self) -> List[Dict[str, float]]:
        """
        Measure the seconds of a forward and a backward pass in training mode. The training sentences are
        divided by length into ten groups. Return for each group its median `length`,
        `seconds_per_sentence`, and the number of `sentences` that were timed (up to five batches). Empty
        for a `FittedModel`, which has no training steps.
        """
        if isinstance(self.model, FittedModel):
            return []
        instances = self._read(self._archive.dataset_reader, "train_data_path")
        instances.sort(key=length_of)
        if len(instances) < _GROUPS:
            raise ConfigurationError(
                f"{self._config['train_data_path']}: {len(instances)} instances, expected {_GROUPS} or "
                "more to take the time over their length"
            )
        self.model.train()
        groups = []
        for number in range(_GROUPS):
            bounds = [len(instances) * end // _GROUPS for end in (number, number + 1)]
            group = instances[slice(*bounds)]
            batches = list(lazy_groups_of(group, self._batch_size))
            chosen = batches[:: -(-len(batches) // _BATCHES)]
            if number == 0:
                self._seconds_to_train_on(chosen[0])  # warm-up
            seconds = sum(self._seconds_to_train_on(batch) for batch in chosen)
            sentences = sum(map(len, chosen))
            length = length_of(group[len(group) // 2])
            groups.append(
                {"length": length, "seconds_per_sentence": seconds / sentences, "sentences": sentences}
            )
        return groups

    def _read(self, reader: DatasetReader, key: str) -> List[Instance]:
        instances = list(reader.read(self._config[key]))
        if not instances:
            raise ConfigurationError(f"{self._config[key]} ({key}): no instances, expected some")
        for instance in instances:
            reader.apply_token_indexers(instance)
        return instances

    def _seconds_to_train_on(self, instances: List[Instance]) -> float:
        batch = Batch(instances)
        batch.index_instances(self.model.vocab)
        tensors = move_to_device(batch.as_tensor_dict(), self._device)
        self._synchronize()
        start = time.perf_counter()
        self.model(**tensors)["loss"].backward()
        self._synchronize()
        seconds = time.perf_counter() - start
        self.model.zero_grad()
        return seconds

    def _synchronize(self) -> None:
        if self._device >= 0:
            torch.cuda.synchronize(self._device)


def device_of(config: Dict[str, Any]) -> int:
    """Return the device of the run's training, -1 for the CPU. The default is AllenNLP's."""
    if is_fitted(config):
        return -1
    devices = section(config, "distributed").get("cuda_devices")
    if devices:
        return int(devices[0])
    device = section(config, "trainer").get("cuda_device")
    return int(device) if device is not None else (0 if torch.cuda.is_available() else -1)


def batch_size_of(config: Dict[str, Any]) -> int:
    loader = config["data_loader"]
    sampler = section(loader, "batch_sampler")
    return int(loader.get("batch_size") or sampler.get("batch_size") or _BATCH_SIZE)


def peak_memory(device: int) -> Tuple[int, str]:
    """
    Return the peak memory of this process in bytes, and its kind, `"GPU"` or `"CPU"`. On a GPU, it is
    what PyTorch allocated since AllenNLP last reset the counter, at the start of the last epoch.
    """
    if device >= 0:
        return torch.cuda.max_memory_allocated(device), "GPU"
    status = Path("/proc/self/status")
    peak = re.search(r"VmHWM:\s*(\d+) kB", status.read_text()) if status.exists() else None
    if peak is None:  # not Linux: a maximum that includes that of the parent process
        return peak_cpu_memory()[0], "CPU"
    return int(peak[1]) * 1024, "CPU"
