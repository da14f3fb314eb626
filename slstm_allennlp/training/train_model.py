import json
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Set

from allennlp.commands.train import TrainModel
from allennlp.common import Lazy, Params
from allennlp.common.checks import ConfigurationError
from allennlp.common.util import is_distributed
from allennlp.data import DataLoader, DatasetReader, Vocabulary
from allennlp.data.vocabulary import NAMESPACE_PADDING_FILE
from allennlp.models import Model
from allennlp.nn.parallel import DdpAccelerator
from allennlp.training import Trainer
from allennlp.training.metrics import SpanBasedF1Measure

from slstm_allennlp.common.atomic_write import atomic_write
from slstm_allennlp.common.training_keys import DATA_KEYS
from slstm_allennlp.dataset_readers.parts import checksums
from slstm_allennlp.metrics.span_tags import missing_tags
from slstm_allennlp.models.summary import metrics_of
from slstm_allennlp.training.all_data import LIMITS, on_all_data, say_what_is_scored, without_drop_last
from slstm_allennlp.training.label_counts import num_instances, warn_of_unseen
from slstm_allennlp.training.model_card import write_metrics_by_epoch, write_model_card
from slstm_allennlp.training.trainer import ReliableTrainer

_FIXED = ("from_files", "empty", "from_pretrained_transformer")  # vocabularies without the data's words
CHECKSUMS = "data_checksums.json"
"""The file in the folder of a training with the checksums of its data."""
START_AGAIN = "(-f in its place starts again, and deletes what is there)"  # in the place of --recover
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
    - The vocabulary has all tags of each type of entity, such as U-PER beside B-PER.
    - A label that only the validation or test data have is a warning.
    - `evaluate_on_test` with `distributed` is refused at the start, and so is `--recover` with data that
      have changed or have another vocabulary.
    - `metrics_by_epoch.csv` is written, and `model_card.md`: the encoder, the data, the metrics, the
      versions and the command, and how to resume, use and cite the model.
    """

    @classmethod
    def from_partial_objects(
        cls,
        serialization_dir: str,
        local_rank: int,
        dataset_reader: DatasetReader,
        train_data_path: Any,
        model: Lazy[Model],
        data_loader: Lazy[DataLoader],
        trainer: Lazy[Trainer],
        vocabulary: Lazy[Vocabulary] = Lazy(Vocabulary),  # noqa: B008
        datasets_for_vocab_creation: Optional[List[str]] = None,
        validation_dataset_reader: Optional[DatasetReader] = None,
        validation_data_path: Any = None,
        validation_data_loader: Optional[Lazy[DataLoader]] = None,
        test_data_path: Any = None,
        evaluate_on_test: bool = False,
        batch_weight_key: str = "",
        ddp_accelerator: Optional[DdpAccelerator] = None,
    ) -> "TrainModel":
        given = trainer._params.params if isinstance(trainer._params, Params) else {}
        if given.get("type", "gradient_descent") == "gradient_descent":
            # Before the data and vectors are read.
            ReliableTrainer.expect_known(key for key in given if key != "type")
        is_tested = evaluate_on_test and test_data_path is not None
        if is_tested and is_distributed():
            raise ConfigurationError(NO_DISTRIBUTED_TEST)
        limit = None
        if validation_data_loader is None:
            validation_data_loader = _changed(data_loader, on_all_data)
        else:
            validation_data_loader = _changed(validation_data_loader, without_drop_last)
            if isinstance(validation_data_loader._params, Params):
                given = validation_data_loader._params.params
                limit = next(((key, given[key]) for key in LIMITS if given.get(key) is not None), None)
        if local_rank == 0:
            for path in (validation_data_path, test_data_path if is_tested else None):
                if path is not None:
                    say_what_is_scored(path, validation_dataset_reader or dataset_reader, limit)
        paths = dict(zip(DATA_KEYS, (train_data_path, validation_data_path, test_data_path)))
        data = checksums(paths)
        known = Path(serialization_dir) / CHECKSUMS
        kept = json.loads(known.read_text()) if known.exists() else {}
        for key, checksum in data.items():
            if kept.get(key, checksum) != checksum:
                raise changed_data(f"{paths[key]} ({key})")
        # AllenNLP makes the vocabulary anew, also to go on with a training.
        folder = Path(serialization_dir) / "vocabulary"
        files = [] if is_distributed() else folder.glob("*.txt")  # several processes write it
        # The file of namespaces is a set, in any order.
        before = {path: path.read_bytes() for path in files if path.name != NAMESPACE_PADDING_FILE}
        made = super().from_partial_objects(
            serialization_dir,
            local_rank,
            dataset_reader,
            train_data_path,
            model,
            data_loader,
            trainer,
            vocabulary=_of_all_tags(vocabulary, model, folder),
            datasets_for_vocab_creation=datasets_for_vocab_creation,  # type: ignore[arg-type]
            validation_dataset_reader=validation_dataset_reader,  # type: ignore[arg-type]
            validation_data_path=validation_data_path,
            validation_data_loader=validation_data_loader,
            test_data_path=test_data_path,
            evaluate_on_test=evaluate_on_test,
            batch_weight_key=batch_weight_key,
            ddp_accelerator=ddp_accelerator,
        )
        if any(path.read_bytes() != content for path, content in before.items()):
            for path, content in before.items():
                path.write_bytes(content)
            raise ConfigurationError(
                f"--recover: the vocabulary of the data is not that in {folder}, expected the data of "
                f"the interrupted training {START_AGAIN}"
            )
        if local_rank == 0 and not known.exists():
            with atomic_write(known) as unfinished:
                unfinished.write_text(json.dumps(data))
        if is_distributed() and any(isinstance(m, SpanBasedF1Measure) for m in metrics_of(made.model)):
            raise ConfigurationError(
                "training is distributed, and AllenNLP's F1 of entities is not: expected one process, "
                "or model.calculate_span_f1 false and another trainer.validation_metric"
            )
        return made

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
        counts = [(use, num_instances(loader)) for use, loader in parts]
        sizes = ", ".join(f"{count:,} to {use}" for use, count in counts if count)
        write_model_card(Path(self.serialization_dir), self.model, metrics, sizes)


def changed_data(path: str) -> ConfigurationError:
    """Return the error for a training that cannot go on, because its data are others now."""
    return ConfigurationError(
        f"--recover: {path} has changed since, expected the same data {START_AGAIN}"
    )


def _of_all_tags(vocabulary: Lazy[Vocabulary], model: Lazy[Model], folder: Path) -> Lazy[Vocabulary]:
    """
    Return the vocabulary with all tags of each type of entity, if it is made from the data and the model
    has a `label_encoding`. The data may have only longer ones of a type, and others to be scored one of
    a word. If the vocabulary of an interrupted training is in the folder, and has the same words and
    labels in another order, as loader workers give them, return that one.
    """
    params = model._params if isinstance(model._params, Params) else Params({})
    encoding, namespace = params.get("label_encoding"), params.get("label_namespace", "labels")
    kind = vocabulary._params.get("type") if isinstance(vocabulary._params, Params) else None

    def made(**kwargs: Any) -> Vocabulary:
        new: Vocabulary = vocabulary.construct(**kwargs)
        kept = None
        if not is_distributed() and (folder / NAMESPACE_PADDING_FILE).exists():
            kept = Vocabulary.from_files(folder, new._padding_token, new._oov_token)
            if _content(kept) == _content(new):  # of AllenNLP's own training, without more tags
                return kept
        # Several processes read the files of the first one, which has no tags but those of the data.
        if encoding is not None and (is_distributed() or kind not in _FIXED):
            tags = new.get_token_to_index_vocabulary(namespace)
            new.add_tokens_to_namespace(missing_tags(list(tags), encoding), namespace)
        return kept if kept is not None and _content(kept) == _content(new) else new

    return Lazy(made)


def _content(vocabulary: Vocabulary) -> Dict[str, Set[str]]:
    return {
        name: {*vocabulary.get_token_to_index_vocabulary(name)} for name in vocabulary.get_namespaces()
    }


def _changed(
    loader: Lazy[DataLoader], change: Callable[[Dict[str, Any]], Dict[str, Any]]
) -> Lazy[DataLoader]:
    """Return the data loader with a changed config, or as it is if its config is only a name."""
    params = loader._params
    if not isinstance(params, Params):
        return loader
    changed = Params(change(params.as_dict(quiet=True)), params.history)
    return Lazy(loader._constructor, changed, loader._constructor_extras)
