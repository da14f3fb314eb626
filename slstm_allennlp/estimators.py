"""
Train and predict from Python, as scikit-learn's estimators do. Data go into a temporary folder.
AllenNLP's `train_model` trains a config on them, as in `slstm train`, and its predictors predict.
"""

import io
import json
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
import torch
from allennlp.commands.train import train_model
from allennlp.common import Params
from allennlp.common.params import parse_overrides
from allennlp.common.plugins import import_plugins
from allennlp.models import load_archive
from allennlp.predictors import Predictor
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import train_test_split
from sklearn.utils.validation import check_is_fitted

from slstm_allennlp import predictors
from slstm_allennlp.common.atomic_write import atomic_write
from slstm_allennlp.common.given import (
    array_of,
    class_of,
    kept_random_states,
    listed,
    named,
    shown,
    text_of,
)
from slstm_allennlp.common.training_keys import SEED_KEYS
from slstm_allennlp.console.friendly import friendly_messages
from slstm_allennlp.console.missing import expect_device
from slstm_allennlp.console.quiet import quiet_console
from slstm_allennlp.console.training import result_lines
from slstm_allennlp.dataset_readers import table_reader
from slstm_allennlp.dataset_readers.conll_ner_reader import ConllNerReader
from slstm_allennlp.dataset_readers.lines import Line
from slstm_allennlp.metrics.span_tags import bioul_spans
from slstm_allennlp.security import safe_archives
from slstm_allennlp.training import own_data
from slstm_allennlp.training.own_data import with_data
from slstm_allennlp.training.signals import Stopped
from slstm_allennlp.vectors.packages import use_vectors
from slstm_cli.bundled import config_path

_ARCHIVE, _LABELS = "model.tar.gz", "labels.json"
_KEPT = (_ARCHIVE, _LABELS, "model_card.md", "metrics.json")
_one_at_a_time = threading.Lock()  # AllenNLP's logging and the random states belong to the process


@dataclass(eq=False, repr=False)
class _Estimator(BaseEstimator):
    """
    # Parameters

    recipe : a config of `slstm config`, or a path. Default: `reviews_slstm` for texts, `pairs_bilstm`
        for pairs, `tags_bilstm` or `entities_bilstm` for words.
    overrides : what to change in it, a dictionary or JSON, as in `slstm train --overrides`.
    vectors : word vectors in place of the recipe's first ones; `False` for no vectors and no BERT.
        Default: those of the recipe that are installed; a warning names the others.
    epochs : default: as in the recipe.
    validation : the share of the data, or other data `(X, y)`, that selects the best epoch. With `None`,
        the last epoch is kept.
    random_state : the seed, an integer or a `RandomState`. Default: the config's, so that two trainings
        are the same.
    device : such as `"cpu"` or `"cuda:1"`. Default: the first GPU, if there is one.
    verbose : 0 is silent. Otherwise there is a line for each epoch, and a progress bar.

    Data that cannot be used are a `ValueError` that names the first position, a config that cannot be
    used a `ConfigurationError`. After `fit`, `classes_` has the classes, and `files_` the archive.
    """

    recipe: Optional[str] = None
    overrides: Union[str, Dict[str, Any], None] = None
    vectors: Union[str, bool, None] = None
    epochs: Optional[int] = None
    validation: Any = 0.1
    random_state: Any = None
    device: Optional[str] = None
    verbose: int = 1

    _recipe: ClassVar[Any]
    _predictor_type: ClassVar[Any]
    _ending: ClassVar[str] = "jsonl"
    _columns: ClassVar[Any] = ((), "label")

    def fit(self, X: Any, y: Any) -> "_Estimator":
        """Train. If ctrl-C interrupts it, the best epoch so far is kept, if one was completed."""
        with TemporaryDirectory() as temporary:
            folder = Path(temporary)
            parts, config = [self._examples(X, y)], self._config(folder)
            if isinstance(self.validation, (int, float)):
                if not 0 < self.validation < 1:
                    raise ValueError(f"validation is {self.validation}, expected a share, or data")
                seed = config.get(SEED_KEYS[0], 0)
                parts = train_test_split(parts[0], test_size=self.validation, random_state=seed)
            elif self.validation is not None:
                parts.append(self._examples(*self.validation))
            labels = named(label for part in parts for _, labels in part for label in labels)
            names = {label: name for name, label in labels.items()}
            paths = [folder / f"{part}.{self._ending}" for part in ("train", "dev")]
            for path, part in zip(paths, parts):
                lines = [self._line(given, [names[each] for each in own]) for given, own in part]
                path.write_text("".join(lines), encoding="utf-8")
            self._train(config, str(paths[0]), str(paths[len(parts) - 1]), folder / "run")
            (folder / "run" / _LABELS).write_text(json.dumps(labels, default=repr), encoding="utf-8")
            return self._take(folder / "run", labels)

    def _train(self, config: Dict[str, Any], data: str, dev: str, folder: Path) -> None:
        text, label = self._columns
        with self._allennlp():
            try:
                # Its lines would show the temporary files.
                with patch.object(own_data.logger, "info"), patch.object(table_reader.logger, "info"):
                    config = with_data(config, data, dev, None, text, label, self._overrides())
                    if data == dev:
                        del config["validation_data_path"]
                    train_model(Params(config), str(folder))
                print(next(result_lines(folder)))
                return
            except (KeyboardInterrupt, Stopped) as stop:
                if getattr(stop, "code", None) == 128 + signal.SIGTERM:
                    raise
        if not (folder / _ARCHIVE).exists():
            raise KeyboardInterrupt
        warnings.warn("interrupted: the model is that of the best epoch so far", stacklevel=3)

    def save(self, folder: Union[str, Path]) -> None:
        """Write the archive `model.tar.gz`, which `slstm predict` opens, its model card and metrics."""
        check_is_fitted(self, "files_")
        if _LABELS in self.files_ and json.loads(self.files_[_LABELS]) != self._labels:
            raise ValueError(f"classes_ is {self.classes_}, expected strings or numbers (or use pickle)")
        Path(folder).mkdir(parents=True, exist_ok=True)
        for name, content in self.files_.items():
            with atomic_write(Path(folder) / name) as unfinished:
                unfinished.write_bytes(content)

    @classmethod
    def load(cls, folder: Union[str, Path], **parameters: Any) -> "_Estimator":
        """
        Return the estimator in a folder of `save` or `slstm train`, with parameters such as `device`.
        What an archive's config can do is restricted (SECURITY.md).
        """
        estimator = cls(**parameters)._take(Path(folder), {})
        predictor = estimator._open(trust=False)
        if not isinstance(predictor, cls._predictor_type):
            kind = type(predictor).__name__
            raise ValueError(f"{folder}: the predictor is {kind}, expected one of {cls.__name__}")
        names = {name: name for name in sorted(predictor.known_labels())}
        return estimator._take(
            Path(folder), json.loads(estimator.files_.get(_LABELS, json.dumps(names)))
        )

    def _take(self, folder: Path, labels: Dict[str, Any]) -> "_Estimator":
        """Keep the files of a trained model, so that no folder is needed."""
        paths = [folder / name for name in _KEPT]
        self.files_ = {
            path.name: path.read_bytes() for path in paths if path.exists() or path.name == _ARCHIVE
        }
        self._labels, self.classes_ = labels, array_of(list(labels.values()))
        self.__dict__.pop("_predictor", None)
        return self

    def __getstate__(self) -> Dict[str, Any]:
        return {key: value for key, value in super().__getstate__().items() if key != "_predictor"}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string, tags.input_tags.two_d_array = True, False
        tags.target_tags.required = True
        return tags

    def _predictions(self, X: Any) -> List[Dict[str, Any]]:
        """Return the predictor's outputs."""
        check_is_fitted(self, "files_")
        inputs = self._inputs(X)
        predictor = self.__dict__.get("_predictor") or self._open(trust=True)
        return predictor.predict_batch_json(inputs)

    def _open(self, trust: bool) -> Any:
        with TemporaryDirectory() as folder, self._allennlp(), safe_archives(trust):
            path = Path(folder) / _ARCHIVE
            path.write_bytes(self.files_[_ARCHIVE])
            self._predictor: Any = Predictor.from_archive(load_archive(path, cuda_device=self._device()))
        return self._predictor

    @contextmanager
    def _allennlp(self) -> Iterator[None]:
        """Have AllenNLP with its plugins, on a short console, and restore what it changes."""
        with _one_at_a_time, kept_random_states(), ExitStack() as stack:
            for redirect in () if self.verbose else (redirect_stdout, redirect_stderr):
                stack.enter_context(redirect(io.StringIO()))
            stack.enter_context(quiet_console())
            stack.enter_context(friendly_messages())
            import_plugins()
            yield

    def _device(self) -> int:
        """Return the number that AllenNLP has for the device."""
        device = torch.device(self.device or ("cuda" if torch.cuda.is_available() else "cpu"))
        number = -1 if device.type == "cpu" else device.index or 0
        expect_device("device", number)
        return number

    def _config(self, folder: Path) -> Dict[str, Any]:
        """Return the recipe's config, with the vectors and the seed."""
        path = config_path(str(self.recipe or self._recipe), folder)
        config: Dict[str, Any] = Params.from_file(path).as_dict(quiet=True)
        use_vectors(config, self.vectors)
        if self.random_state is not None:
            is_source = isinstance(self.random_state, numpy.random.RandomState)
            seed = self.random_state.randint(2**31) if is_source else self.random_state
            config.update(dict.fromkeys(SEED_KEYS, int(seed)))
        return config

    def _overrides(self) -> Dict[str, Any]:
        given = parse_overrides(self.overrides) if isinstance(self.overrides, str) else self.overrides
        own = {"trainer.num_epochs": self.epochs, "trainer.cuda_device": self.device and self._device()}
        if isinstance(self, Tagger):
            own["dataset_reader.word_prefix"] = ""  # words may begin alike
        return {**{key: value for key, value in own.items() if value is not None}, **(given or {})}

    def _inputs(self, X: Any) -> List[Dict[str, Any]]:
        """Return the inputs of the predictor."""
        return [self._input(f"X[{number}]", item) for number, item in enumerate(listed("X", X))]

    def _examples(self, X: Any, y: Any) -> List[Tuple[Dict[str, Any], List[Any]]]:
        """Return the inputs with their labels."""
        inputs, labels = self._inputs(X), listed("y", y)
        if len(inputs) != len(labels):
            raise ValueError(f"X has {len(inputs)} items and y {len(labels)}, expected the same number")
        where = [f"y[{number}]" for number in range(len(labels))]
        return list(zip(inputs, map(self._labels_of, where, labels, inputs)))

    # The rest is about texts. `Tagger` has its own.

    def _input(self, where: str, item: Any) -> Dict[str, Any]:
        return {"text": text_of(where, item)}

    def _labels_of(self, where: str, label: Any, given: Dict[str, Any]) -> List[Any]:
        return [class_of(where, label)]

    def _line(self, given: Dict[str, Any], names: List[str]) -> str:
        return json.dumps({**given, "label": names[0]}) + "\n"


class TextClassifier(ClassifierMixin, _Estimator):
    __doc__ = f"Classify texts.\n{_Estimator.__doc__}"
    _recipe, _predictor_type = "reviews_slstm", predictors.TextClassifier

    def predict(self, X: Any) -> numpy.ndarray:
        """Return the most probable class of each item."""
        best = self.predict_proba(X).argmax(axis=1)
        return self.classes_[best]

    def predict_proba(self, X: Any) -> numpy.ndarray:
        """Return probabilities, (number of items, number of classes), in the order of `classes_`."""
        rows = [output["probabilities"] for output in self._predictions(X)]
        return numpy.array([[row[name] for name in self._labels] for row in rows])


class PairClassifier(TextClassifier):
    __doc__ = f"Classify pairs of texts: each row of `X` has two.\n{_Estimator.__doc__}"
    _recipe, _predictor_type = "pairs_bilstm", predictors.SentencePair  # type: ignore[assignment]

    def _input(self, where: str, item: Any) -> Dict[str, Any]:
        pair = listed(where, item)
        if len(pair) != 2:
            raise ValueError(f"{where} is {shown(item)}, expected two texts")
        texts = [text_of(f"{where}[{number}]", text) for number, text in enumerate(pair)]
        return dict(zip(("premise", "hypothesis"), texts))


@dataclass(eq=False, repr=False)
class Tagger(_Estimator):
    __doc__ = f"""
    Tag words: each row of `X` is a list of words, and of `y` a list of their tags. `entities=True`: the
    tags are entities in IOB2, such as `B-PER`, `I-PER` and `O`, and `score` is the F1 of their spans.
    {_Estimator.__doc__}"""
    entities: bool = False

    _predictor_type = predictors.SentenceTagger
    _ending, _columns = "txt", (("1",), "2")

    @property
    def _recipe(self) -> str:
        return "entities_bilstm" if self.entities else "tags_bilstm"

    def predict(self, X: Any) -> List[List[Any]]:
        """Return a list of tags for each list of words."""
        outputs = self._predictions(X)
        letters = str.maketrans("LU", "IB")
        if self._predictor._label_encoding == "BIOUL":
            return [
                [tag[:1].translate(letters) + tag[1:] for tag in output["tags"]] for output in outputs
            ]
        return [[self._labels[tag] for tag in output["tags"]] for output in outputs]

    def predict_spans(self, X: Any) -> List[List[Dict[str, Any]]]:
        """Return the entities: `text`, `label`, and `start` and `end` in the words joined by spaces."""
        return [output["spans"] for output in self._predictions(X)]

    def score(self, X: Any, y: Any) -> float:
        """Return the share of right tags or, for entities, the F1 of the spans with their types."""
        rows = list(zip(self.predict(X), (tags for _, tags in self._examples(X, y))))
        if self._predictor._label_encoding is None:
            right = [ours == gold for row in rows for ours, gold in zip(*row)]
            return sum(right) / len(right)
        spans = [[set(bioul_spans(tags)) for tags in row] for row in rows]  # BIO is read, too
        both = sum(len(ours & gold) for ours, gold in spans)
        return 2 * both / max(1, sum(len(ours) + len(gold) for ours, gold in spans))

    def _input(self, where: str, item: Any) -> Dict[str, Any]:
        words = enumerate(listed(where, item))
        return {"words": [text_of(f"{where}[{number}]", word, is_word=True) for number, word in words]}

    def _labels_of(self, where: str, label: Any, given: Dict[str, Any]) -> List[Any]:
        tags = [class_of(f"{where}[{number}]", tag) for number, tag in enumerate(listed(where, label))]
        if len(tags) != len(given["words"]):
            raise ValueError(f"{where} has {len(tags)} tags, X has {len(given['words'])} words")
        if self.entities:
            lines = [_Tagged(where, number, f"x\t{tag}") for number, tag in enumerate(tags)]
            ConllNerReader("IOB2")._tagged_words([*lines])
        return tags

    def _line(self, given: Dict[str, Any], names: List[str]) -> str:
        return "".join(f"{word}\t{name}\n" for word, name in zip(given["words"], names)) + "\n"


class _Tagged(Line):
    """A tag, for messages: the position of its sentence, and its own."""

    def error(self, what: str) -> Any:
        return ValueError(f"{self.path}[{self.number}]: {what}")
