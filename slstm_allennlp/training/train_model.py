import inspect
from functools import wraps
from pathlib import Path
from typing import Any, Callable, Dict

from allennlp.commands.train import TrainModel
from allennlp.common import Lazy, Params
from allennlp.common.checks import ConfigurationError
from allennlp.common.util import is_distributed
from allennlp.data import DataLoader

from slstm_allennlp.training.all_data import on_all_data, say_what_is_scored, without_drop_last
from slstm_allennlp.training.label_counts import warn_of_unseen
from slstm_allennlp.training.model_card import write_metrics_by_epoch, write_model_card

# The first process would wait for the others, which have ended, and write no archive.
NO_DISTRIBUTED_TEST = (
    "evaluate_on_test is true, expected false with distributed training, where AllenNLP cannot do it; "
    "run `slstm evaluate` on the archive afterwards"
)


@TrainModel.register("default", constructor="from_partial_objects", exist_ok=True)
class TrainModelWithCard(TrainModel):
    """
    AllenNLP's training loop, with these additions.

    - Every sentence of the validation and test data is scored. AllenNLP applies `drop_last` and
      `batches_per_epoch` of `data_loader` to them, too. A limit for these data themselves
      (`batches_per_epoch` in `validation_data_loader`, `max_instances` of their reader) is kept, and a
      warning says so.
    - A label that only the validation or test data have is a warning.
    - `evaluate_on_test` with `distributed` is refused at the start.
    - `metrics_by_epoch.csv` is written, and `model_card.md`: the encoder, the data, the metrics, the
      versions and the command, and how to resume, use and cite the model.
    """

    @classmethod
    @wraps(TrainModel.from_partial_objects.__func__)  # type: ignore[attr-defined]  # the config's keys
    def from_partial_objects(cls, *args: Any, **kwargs: Any) -> TrainModel:
        given = inspect.signature(super().from_partial_objects).bind(*args, **kwargs)
        given.apply_defaults()
        parts = given.arguments
        is_tested = parts["evaluate_on_test"] and parts["test_data_path"] is not None
        if is_tested and is_distributed():
            raise ConfigurationError(NO_DISTRIBUTED_TEST)
        limit, own = None, parts["validation_data_loader"]
        if own is None:
            loader = _changed(parts["data_loader"], on_all_data)
        else:
            loader = _changed(own, without_drop_last)
            if isinstance(loader._params, Params):
                limit = loader._params.get("batches_per_epoch")
        if parts["local_rank"] == 0:
            reader = parts["validation_dataset_reader"] or parts["dataset_reader"]
            for path in (parts["validation_data_path"], parts["test_data_path"] if is_tested else None):
                if path is not None:
                    say_what_is_scored(path, reader, limit)
        return super().from_partial_objects(**{**parts, "validation_data_loader": loader})

    def run(self) -> Dict[str, Any]:
        """Train, as AllenNLP does, after warnings about labels that the train set does not have."""
        train, dev = (getattr(self.trainer, f"{name}data_loader", None) for name in ("", "_validation_"))
        if train is not None and not is_distributed():
            warn_of_unseen(self.model, train, (dev, self.evaluation_data_loader))
        return super().run()

    def finish(self, metrics: Dict[str, Any]) -> None:
        """Write the metrics, as AllenNLP does, those of all epochs as a table, and the model card."""
        super().finish(metrics)
        write_metrics_by_epoch(Path(self.serialization_dir))
        loaders = {"data_loader": "train", "_validation_data_loader": "validate"}
        parts = [(use, getattr(self.trainer, name, None)) for name, use in loaders.items()]
        counts = [(use, getattr(loader, "_instances", None)) for use, loader in parts]
        sizes = ", ".join(f"{len(read):,} to {use}" for use, read in counts if read)
        write_model_card(Path(self.serialization_dir), self.model, metrics, sizes)


def _changed(
    loader: Lazy[DataLoader], change: Callable[[Dict[str, Any]], Dict[str, Any]]
) -> Lazy[DataLoader]:
    """Return the data loader with a changed config, or as it is if its config is only a name."""
    params = loader._params
    if not isinstance(params, Params):
        return loader
    changed = Params(change(params.as_dict(quiet=True)), params.history)
    return Lazy(loader._constructor, changed, loader._constructor_extras)
