"""Train and predict by scikit-learn's conventions, through AllenNLP's `train_model` and predictors."""

import io
import json
import logging
import os
import re
import signal
import threading
import warnings
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar, Dict, Iterator, List, Optional, Tuple, Union
from unittest.mock import patch

import numpy
from allennlp.commands.train import train_model
from allennlp.common.checks import ConfigurationError
from allennlp.common.params import Params, parse_overrides
from allennlp.common.plugins import import_plugins
from allennlp.models import load_archive
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.model_selection import train_test_split
from sklearn.utils.validation import check_is_fitted

from slstm_allennlp import predictors
from slstm_allennlp.common import columns
from slstm_allennlp.common.atomic_write import atomic_write, raise_not_written
from slstm_allennlp.common.training_keys import SEED_KEYS, is_fitted, section
from slstm_allennlp.console.friendly import friendly_messages
from slstm_allennlp.console.missing import device_number
from slstm_allennlp.console.quiet import quiet_console
from slstm_allennlp.console.training import result_lines
from slstm_allennlp.dataset_readers import table_reader
from slstm_allennlp.dataset_readers.conll_ner_reader import expect_iob2
from slstm_allennlp.metrics.span_tags import bio_of, bioul_spans, type_of
from slstm_allennlp.predictors.text_input import predictor_of
from slstm_allennlp.security import safe_archives
from slstm_allennlp.training import label_counts, model_card, own_data
from slstm_allennlp.training.run_state import random_states, set_random_states
from slstm_allennlp.training.signals import Stopped
from slstm_allennlp.vectors.packages import use_vectors
from slstm_cli.bundled import config_path

_ARCHIVE, _LABELS = "model.tar.gz", "labels.json"
_KEPT = (_ARCHIVE, _LABELS, "model_card.md", "metrics.json")
_one_at_a_time = threading.Lock()  # AllenNLP's logging and the random states belong to the process


@dataclass(eq=False, repr=False)
class _Estimator(BaseEstimator):
    """
    recipe: a config of `slstm config`, or a path. Default: `reviews_slstm` for texts, `pairs_bilstm` for
        pairs, `tags_bilstm` or `entities_bilstm` for words.
    overrides: what to change in it, a dictionary or JSON, as in `slstm train --overrides`.
    vectors: word vectors in place of the recipe's first ones; `False` for no vectors and no BERT.
        Default: those of the recipe that are installed; a warning names the others.
    epochs: default: those of the recipe, and more with few examples, as in `slstm train --data`.
    validation: the share of the data, or other data `(X, y)`, that selects the best epoch. With `None`,
        the last epoch is kept.
    random_state: the seed, an integer or a `RandomState`. Default: that of the config, always the same.
    device: such as `"cpu"` or `"cuda:1"`. Default: the first GPU, if there is one.
    verbose: 0 is silent; otherwise, there is a line for each epoch, and a progress bar.

    `fit` sets `classes_`, and `files_`, the archive. Data that cannot be used are a `ValueError` that
    names the first position, a config that cannot be used a `ConfigurationError`, a recipe that is not
    there a `FileNotFoundError`, and another parameter a `ValueError`.
    """

    recipe: Optional[str] = None
    overrides: Union[str, Dict[str, Any], None] = None
    vectors: Union[str, "os.PathLike[str]", bool, None] = None
    epochs: Optional[int] = None
    validation: Any = 0.1
    random_state: Any = None
    device: Optional[str] = None
    verbose: int = 1

    _recipe: ClassVar[Any]
    _predictor_type: ClassVar[Any]
    _ending: ClassVar[str] = "jsonl"
    _columns: ClassVar[Dict[str, Any]] = {}
    _of_reader: ClassVar[Dict[str, Any]] = {}

    def fit(self, X: Any, y: Any) -> "_Estimator":
        """Train. If ctrl-C interrupts it, the best epoch so far is kept, if one was completed."""
        with _temporary_folder() as folder:
            parts, config = [self._examples(X, y)], self._config(folder)
            is_share = isinstance(self.validation, (float, numpy.floating)) and 0 < self.validation < 1
            if isinstance(self.validation, (tuple, list)) and len(self.validation) == 2:
                parts.append(self._examples(*self.validation))
            elif self.validation is not None and not is_share:
                raise ValueError(
                    f"validation is {columns.shown(self.validation)}, expected a share between 0 and 1, "
                    "data (X, y), or None for none"
                )
            labels = columns.named(label for part in parts for _, labels in part for label in labels)
            if is_share:
                seed = config.get(SEED_KEYS[0], 0)
                parts = train_test_split(parts[0], test_size=float(self.validation), random_state=seed)
            names = {label: name for name, label in labels.items()}
            paths = [folder / f"{part}.{self._ending}" for part in ("train", "dev")]
            for path, part in zip(paths, parts):
                lines = [self._line(given, [names[each] for each in own]) for given, own in part]
                path.write_text("".join(lines), encoding="utf-8")
            dev: Any = str(paths[1]) if len(parts) > 1 else False
            self._train(config, str(paths[0]), dev, folder / "run")
            (folder / "run" / _LABELS).write_text(json.dumps(labels, default=repr), encoding="utf-8")
            self._take(folder / "run", trust=True)
            model_card.remove_paths(self.files_)
        self._labels, self.classes_ = labels, columns.array_of(labels.values())
        return self

    def _train(self, config: Dict[str, Any], data: str, dev: Any, folder: Path) -> None:
        epochs = {} if self.epochs is None else {"trainer.num_epochs": int(self.epochs)}
        overrides = {**self._of_reader, **epochs, **self._overrides()}
        names = {f"{data}, {dev}": "X, y", **({dev: "validation"} if dev else {}), data: "X, y"}
        with self._allennlp(), _naming(names):
            try:
                config = own_data.with_data(config, data, dev, overrides=overrides, **self._columns)
                if config["dataset_reader"].get("max_instances"):  # a class may be in none of these
                    raise ValueError("the reader has max_instances, expected fewer items in X and y")
                trainer = section(config, "trainer")
                if not is_fitted(config):  # the folder is temporary: nothing goes on from there
                    trainer.setdefault("checkpointer", {"save_completed_epochs": False})
                train_model(Params(config), str(folder))
                print(next(result_lines(folder)))
                return
            except (KeyboardInterrupt, Stopped) as stop:
                if getattr(stop, "code", None) == 128 + signal.SIGTERM:
                    # Not `Stopped`, which is an `Exception`, too: scikit-learn would go on.
                    raise SystemExit(128 + signal.SIGTERM) from None
        if not (folder / _ARCHIVE).exists():
            raise KeyboardInterrupt
        warnings.warn("interrupted: the model is that of the best epoch so far", stacklevel=3)

    def save(self, folder: Union[str, Path]) -> None:
        """
        Write the archive `model.tar.gz`, which `slstm predict` opens, its model card and metrics.
        `ValueError` for other classes than strings and numbers, and for a folder of `slstm train`.
        """
        check_is_fitted(self, "files_")
        if json.loads(self.files_[_LABELS]) != self._labels:
            raise ValueError(f"classes_ is {self.classes_}, expected strings or numbers (or use pickle)")
        if (Path(folder) / "config.json").exists():
            raise ValueError(f"{folder} has a training of `slstm train`, expected another folder")
        Path(folder).mkdir(parents=True, exist_ok=True)
        is_replaced = (Path(folder) / _ARCHIVE).exists()
        for name in _KEPT:
            if name not in self.files_:  # of an interrupted training
                if is_replaced:  # the other model's
                    (Path(folder) / name).unlink(missing_ok=True)
                continue
            with atomic_write(Path(folder) / name) as unfinished:
                unfinished.write_bytes(self.files_[name])

    @classmethod
    def load(cls, folder: Union[str, Path], **parameters: Any) -> "_Estimator":
        """
        Return the estimator in a folder of `save` or `slstm train`, with parameters such as `device`.
        What an archive's config can do is restricted (SECURITY.md). Its recipe and the other settings of
        its training are not restored: to train anew, give them here. `FileNotFoundError` without an
        archive, `ValueError` for that of another kind of model.
        """
        estimator = cls(**parameters)
        if Path(folder).is_file():
            raise ValueError(f"{folder} is a file, expected the folder that it is in")
        if not (Path(folder) / _ARCHIVE).is_file():
            raise FileNotFoundError(
                f"{folder} has no {_ARCHIVE}, expected a folder of `save` or of `slstm train`"
            )
        estimator._take(Path(folder), trust=False)
        predictor = estimator._open(str(Path(folder) / _ARCHIVE))
        if not isinstance(predictor, cls._predictor_type):
            raise ValueError(f"{folder} is for {type(predictor).__name__}, expected {cls.__name__}")
        known = sorted(predictor.known_labels())
        names = json.dumps({name: name for name in known}).encode()
        try:
            estimator._labels = json.loads(estimator.files_.setdefault(_LABELS, names))
            has_entities = getattr(predictor, "_label_encoding", None) is not None  # in another encoding
            is_dict = isinstance(estimator._labels, dict)
            if not is_dict or not (has_entities or sorted(estimator._labels) == known):
                raise ValueError(f"it has {columns.shown(estimator._labels)}")
        except ValueError as error:
            wrong, expected = Path(folder) / _LABELS, ", ".join(known)
            raise ValueError(f"{wrong}: {error}, expected the model's: {expected}") from None
        estimator.classes_ = columns.array_of(estimator._labels.values())
        return estimator

    def _take(self, folder: Path, trust: bool) -> None:
        """Keep the files of a folder. `trust`, also in copies and pickles: whether they are our own."""
        names = [name for name in _KEPT if name == _ARCHIVE or (folder / name).exists()]
        self.files_ = {name: (folder / name).read_bytes() for name in names}
        self._trust = trust
        self.__dict__.pop("_predictor", None)

    def __getstate__(self) -> Dict[str, Any]:
        return {key: value for key, value in super().__getstate__().items() if key != "_predictor"}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string, tags.input_tags.two_d_array = True, False
        return tags

    def _predictions(self, X: Any) -> List[Dict[str, Any]]:
        check_is_fitted(self, "files_")
        if "_predictor" not in self.__dict__ or self._device != self.device:
            self._open()
        return self._predictor.predict_batch_json(self._inputs(X))

    def _open(self, name: str = _ARCHIVE) -> Any:
        """Open the archive, which errors call by this name."""
        with _temporary_folder() as folder, self._allennlp(), safe_archives(self._trust):
            path = folder / _ARCHIVE
            path.write_bytes(self.files_[_ARCHIVE])
            with _naming({str(path): name}):
                archive = load_archive(path, cuda_device=device_number(self.device))
            self._device = self.device
            self._predictor: Any = predictor_of(archive)
        return self._predictor

    @contextmanager
    def _allennlp(self) -> Iterator[None]:
        """Have AllenNLP with its plugins, on a short console, and restore what it changes."""
        with _one_at_a_time, ExitStack() as stack:
            stack.callback(set_random_states, random_states())
            for redirect in () if self.verbose else (redirect_stdout, redirect_stderr):
                stack.enter_context(redirect(io.StringIO()))
            stack.enter_context(quiet_console())
            stack.enter_context(friendly_messages())
            for module in (own_data, table_reader):  # they would show the temporary files
                stack.enter_context(patch.object(module.logger, "info"))
            import_plugins()
            yield

    def _config(self, folder: Path) -> Dict[str, Any]:
        """Return the recipe's config, with the vectors and the seed."""
        path = config_path(str(self.recipe or self._recipe), folder)
        config: Dict[str, Any] = Params.from_file(path).as_dict(quiet=True)
        use_vectors(config, self.vectors)
        if self.device is not None:
            number = device_number(self.device)
            if not is_fitted(config):  # such a model is on the CPU
                config["trainer"]["cuda_device"] = number
        if self.random_state is not None:
            is_source = isinstance(self.random_state, numpy.random.RandomState)
            seed = self.random_state.randint(2**31) if is_source else self.random_state
            if not isinstance(seed, (int, numpy.integer)) or not 0 <= seed < 2**32:
                raise ValueError(f"random_state is {seed!r}, expected 0 to 2³² - 1, or a RandomState")
            config.update(dict.fromkeys(SEED_KEYS, int(seed)))
        if self.epochs is not None:
            if not isinstance(self.epochs, (int, numpy.integer)) or self.epochs < 1:
                raise ValueError(f"epochs is {self.epochs!r}, expected a whole number, 1 or more")
            if is_fitted(config):
                raise ValueError(f"epochs is {self.epochs}, expected None: the recipe has no epochs")
        return config

    def _overrides(self) -> Dict[str, Any]:
        given: Any = self.overrides or {}
        try:
            given = parse_overrides(given) if isinstance(given, str) else given
        except (RuntimeError, ValueError):
            given = None
        if not isinstance(given, dict):
            what = columns.shown(self.overrides)
            raise ValueError(f"overrides is {what}, expected a dictionary or a JSON object")
        # The model would be opened on another device.
        if "trainer.cuda_device" in given or "cuda_device" in section(given, "trainer"):
            raise ValueError("overrides has trainer.cuda_device, expected device")
        return given

    def _expect_known(self, gold: List[Any], known: List[Any]) -> None:
        """Refuse gold labels of which the model knows none, such as 0 for "0"."""
        if gold and not any(label in known for label in gold):
            raise ValueError(
                f"y has {columns.shown(gold[0])}, expected classes of the model: {columns.shown(known)}"
            )

    def _inputs(self, X: Any) -> List[Dict[str, Any]]:
        return [self._input(f"X[{number}]", item) for number, item in enumerate(columns.listed("X", X))]

    def _examples(self, X: Any, y: Any) -> List[Tuple[Dict[str, Any], List[Any]]]:
        inputs, labels = self._inputs(X), columns.listed("y", y)
        if len(inputs) != len(labels):
            raise ValueError(f"X has {len(inputs)} items and y {len(labels)}, expected the same number")
        where = [f"y[{number}]" for number in range(len(labels))]
        return list(zip(inputs, map(self._labels_of, where, labels, inputs)))

    def _input(self, where: str, item: Any) -> Dict[str, Any]:
        return {"text": columns.text_of(where, item)}

    def _labels_of(self, where: str, label: Any, given: Dict[str, Any]) -> List[Any]:
        return [columns.class_of(where, label)]

    def _line(self, given: Dict[str, Any], names: List[str]) -> str:
        return json.dumps({**given, "label": names[0]}) + "\n"


@contextmanager
def _temporary_folder() -> Iterator[Path]:
    elsewhere = "the environment variable TMPDIR names another folder"
    with TemporaryDirectory() as folder, raise_not_written(folder, elsewhere):
        yield Path(folder)


@contextmanager
def _naming(names: Dict[str, str]) -> Iterator[None]:
    """Put the user's names in the place of temporary files and their lines, in errors and warnings."""

    def renamed(message: str) -> str:
        for temporary, name in names.items():
            message = re.sub(rf"({re.escape(temporary)}), line \d+", r"\1", message)
            message = message.replace(temporary, name)
        return message

    def rename(record: logging.LogRecord) -> bool:
        record.msg, record.args = renamed(record.getMessage()), ()
        return True

    with ExitStack() as stack:
        for module in (own_data, label_counts):
            module.logger.addFilter(rename)
            stack.callback(module.logger.removeFilter, rename)
        try:
            yield
        except ConfigurationError as error:
            raise type(error)(renamed(str(error))) from error


class TextClassifier(ClassifierMixin, _Estimator):
    __doc__ = f"Classify texts.\n{_Estimator.__doc__}"
    _recipe, _predictor_type = "reviews_slstm", predictors.TextClassifier

    def predict(self, X: Any) -> numpy.ndarray:
        """Return the most probable class of each item."""
        probabilities = self.predict_proba(X)
        return self.classes_[probabilities.argmax(axis=1)]

    def predict_proba(self, X: Any) -> numpy.ndarray:
        """Return probabilities, (number of items, number of classes), in the order of `classes_`."""
        rows = [output["probabilities"] for output in self._predictions(X)]
        return numpy.array([[row[name] for name in self._labels] for row in rows])

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of right classes, of any type. scikit-learn's accuracy takes some alone."""
        check_is_fitted(self)
        X = columns.listed("X", X)
        gold = [labels[0] for _, labels in self._examples(X, y)]
        self._expect_known(gold, self.classes_.tolist())
        right = [ours == label for ours, label in zip(self.predict(X), gold)]
        return float(accuracy_score([True] * len(right), right, sample_weight=sample_weight))


class PairClassifier(TextClassifier):
    __doc__ = f"Classify pairs of texts: each row of `X` has two.\n{_Estimator.__doc__}"
    _recipe, _predictor_type = "pairs_bilstm", predictors.SentencePair  # type: ignore[assignment]

    def _input(self, where: str, item: Any) -> Dict[str, Any]:
        texts = columns.texts_of(where, item)
        if len(texts) != 2:
            raise ValueError(f"{where} is {columns.shown(item)}, expected two texts")
        return dict(zip(("premise", "hypothesis"), texts))


@dataclass(eq=False, repr=False)
class Tagger(_Estimator):
    __doc__ = f"""
    Tag words: each row of `X` is a list of words, and of `y` a list of their tags. `entities=True`: the
    tags are entities in IOB2, such as `B-PER`, `I-PER` and `O`, and `score` is the F1 of their spans.
    {_Estimator.__doc__}"""
    entities: bool = False

    _predictor_type, _ending = predictors.SentenceTagger, "txt"
    _columns = {"text": ("1",), "label": "2"}  # noqa: RUF012
    _of_reader = {"dataset_reader.word_prefix": ""}  # noqa: RUF012

    @property
    def _recipe(self) -> str:
        return "entities_bilstm" if self.entities else "tags_bilstm"

    @classmethod
    def load(cls, folder: Union[str, Path], **parameters: Any) -> "Tagger":
        tagger: Any = super().load(folder, **parameters)
        tagger.entities = tagger._predictor._label_encoding is not None
        if tagger._predictor._label_encoding == "BIOUL":  # as `predict` returns them
            tagger.classes_ = columns.array_of(sorted(set(map(bio_of, tagger.classes_))))
        return tagger

    def predict(self, X: Any) -> List[List[Any]]:
        """Return a list of tags for each list of words."""
        rows = [output["tags"] for output in self._predictions(X)]
        if self._predictor._label_encoding == "BIOUL":
            return [list(map(bio_of, tags)) for tags in rows]
        return [[self._labels[tag] for tag in tags] for tags in rows]

    def predict_spans(self, X: Any) -> List[List[Dict[str, Any]]]:
        """Return the entities: `text`, `label`, and `start` and `end` in the words joined by spaces."""
        rows = self._predictions(X)
        if self._predictor._label_encoding is None:
            raise ValueError("predict_spans: the tags are no entities, expected Tagger(entities=True)")
        return [output["spans"] for output in rows]

    def score(self, X: Any, y: Any) -> float:
        """Return the share of right tags or, for entities, the F1 of the spans with their types."""
        X = columns.listed("X", X)
        rows = list(zip(self.predict(X), (tags for _, tags in self._examples(X, y))))
        if self._predictor._label_encoding is None:
            self._expect_known([tag for _, tags in rows for tag in tags], self.classes_.tolist())
            return float(numpy.mean([ours == gold for row in rows for ours, gold in zip(*row)]))
        types = [type_of(tag) for _, tags in rows for tag in tags if tag != "O"]
        self._expect_known(types, sorted({type_of(tag) for tag in self.classes_ if tag != "O"}))
        spans = [[set(bioul_spans(tags)) for tags in row] for row in rows]  # BIO is read, too
        both = sum(len(ours & gold) for ours, gold in spans)
        return 2 * both / max(1, sum(len(ours) + len(gold) for ours, gold in spans))

    def _input(self, where: str, item: Any) -> Dict[str, Any]:
        return {"words": columns.texts_of(where, item, is_word=True)}

    def _labels_of(self, where: str, label: Any, given: Dict[str, Any]) -> List[Any]:
        tags = columns.classes_of(where, label)
        if len(tags) != len(given["words"]):
            raise ValueError(f"{where} has {len(tags)} tags, X has {len(given['words'])} words")
        if self.entities:
            expect_iob2(where, list(map(str, tags)))
            for number, tag in enumerate(tags):
                if columns.written(tag) != tag:
                    raise ValueError(
                        f"{where}[{number}] is {tag!r}, expected single spaces alone in a tag"
                    )
        return tags

    def _line(self, given: Dict[str, Any], names: List[str]) -> str:
        return "".join(f"{word}\t{name}\n" for word, name in zip(given["words"], names)) + "\n"
