import inspect
import json
import logging
import threading
from abc import abstractmethod
from collections import defaultdict
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple, Union

import spacy
import torch
from allennlp.common.util import JsonDict, sanitize
from allennlp.data import DatasetReader, Instance, Token
from allennlp.data.fields import TextField
from allennlp.data.token_indexers import SingleIdTokenIndexer
from allennlp.data.tokenizers import SpacyTokenizer, Tokenizer
from allennlp.models import Archive, Model
from allennlp.predictors import Predictor

from slstm_allennlp.common.errors import CorpusError
from slstm_allennlp.common.registered_name import registered_name
from slstm_allennlp.common.suggestions import did_you_mean
from slstm_allennlp.dataset_readers.lines import is_label, is_word, parsed_json, shortened
from slstm_allennlp.models.summary import namespace_of
from slstm_allennlp.tokenizers import SpacyBlankTokenizer

logger = logging.getLogger(__name__)

_EXPECTED = '{"sentence": "raw text"} or {"words": ["words", "of", "a", "sentence"]}'
_TEXT_KEYS = ("sentence", "text")
# Names of the argument of `text_to_instance` for a label or tags; AllenNLP's readers of columns have
# several kinds of tags, and their `tag_label` is the one that they give to the model.
_LABEL_ARGUMENTS = ("label", "sentiment", "tags")
# A thread that finds a word in the vocabulary takes its vector for learned.
_learning = threading.Lock()
# These limit the memory for long texts. On a CPU, larger batches are not faster. On a GPU, a step with
# 64 × 230 words takes little longer than one with 10 × 17 (benchmarks/README.md).
_MAX_BATCH_WORDS, _ON_A_GPU = 500, 8_000
_FEW_WORDS = 100  # a few texts, of which any share may be unknown


class TextInput(Predictor):
    """
    Base class of the predictors. Their input is one JSON object per line, by default
    `{"sentence": "raw text"}` or `{"words": ["words", "of", "a", "sentence"]}`. `text` is a synonym of
    `sentence`, as in training data of classifiers. Their output is one JSON object per line. If an input
    contains a gold label, the output contains it as `gold`, and in `correct` whether the prediction is
    equal to it. An invalid input is a `CorpusError`.
    """

    expected = _EXPECTED
    answer = "label"  # the key of the prediction in the output
    plain_text = "plain text, one text per line"  # what a plain text file is, for messages
    is_plain_with_tabs = False
    _hidden_outputs: Tuple[str, ...] = ()  # outputs for machines: left out unless `all_outputs` is true
    _own_labels: Tuple[str, ...] = ()  # gold labels that the reader would read as others, logged
    _unknown_labels: Tuple[str, ...] = ()  # gold labels that the model does not know, already logged
    _has_warned = False  # of words that the model does not know
    _splitter: Tokenizer  # for raw text

    def __init__(self, model: Model, dataset_reader: DatasetReader, all_outputs: bool = False) -> None:
        Predictor.__init__(self, model, dataset_reader)
        self._all_outputs = all_outputs
        for module in model.modules():
            if hasattr(module, "adds_to_cache"):  # `TransformerFeatures`
                # Texts that a service is sent should not leave anything on its disk.
                module.adds_to_cache = False  # type: ignore[assignment]

    def load_line(self, line: str) -> JsonDict:
        """Return the JSON object in a line, with the names of the predictor for the dataset reader's."""
        text = line.strip().replace("\ufeff", "")  # byte order marks
        try:
            json_dict = parsed_json(text)
        except ValueError as error:
            raise CorpusError(f"{shortened(text)!r} is {error}, expected {self.expected}") from None
        as_input = getattr(self._dataset_reader, "as_input", None)
        return as_input(json_dict) if as_input and isinstance(json_dict, dict) else json_dict

    def dump_line(self, outputs: JsonDict) -> str:
        return json.dumps(outputs, ensure_ascii=False) + "\n"

    def of_sentence(self, text: str) -> JsonDict:
        """Return the input for one sentence of raw text."""
        return {"sentence": text}

    def check_input(self, json_dict: JsonDict) -> None:
        """Raise a `CorpusError` for an invalid input, without predicting."""
        text_of(json_dict)
        self.gold(json_dict)

    def _tokens(self, json_dict: JsonDict) -> List[Token]:
        text = text_of(json_dict)
        return self._splitter.tokenize(text) if isinstance(text, str) else [Token(word) for word in text]

    def _instance(self, json_dict: JsonDict, tokens: List[Token], **label: Any) -> Instance:
        """Return the instance of an input and its tokens, with or without a label."""
        return self._dataset_reader.text_to_instance(tokens, **label)

    def _json_to_instance(self, json_dict: JsonDict) -> Instance:
        return self._instance(json_dict, self._tokens(json_dict))

    def _instance_of_words(self, json_dict: JsonDict) -> Optional[Instance]:
        """Return the instance of an input, or `None` without words, since models need at least one."""
        tokens = self._tokens(json_dict)
        return self._instance(json_dict, tokens) if tokens else None

    @abstractmethod
    def _without_words(self) -> JsonDict:
        """Return the output for an input without words."""

    def _given(self, json_dict: JsonDict) -> Any:
        """Return the label or the tags in the input, or `None`."""
        return json_dict.get("label")

    def gold(self, json_dict: JsonDict) -> Any:
        """
        Return the label or the tags in the input, or `None`. What is no label of the model is read as in
        training data, such as 4 for the 1 of two classes.
        """
        given = self._given(json_dict)
        given = getattr(given, "item", lambda: given)()  # of NumPy and pandas
        if given is None or given == [] or given != given:  # pandas writes NaN, doccano an empty list
            return None
        if not is_label(given):
            shown = shortened(repr(given))
            raise CorpusError(
                f"the label is {shown}, expected a string or a whole number (or no key of this name)"
            )
        given = str(given).strip()
        if not given:
            return None
        try:
            labelled = self._labelled(**self._as_argument(given))
        except (AssertionError, LookupError, ValueError):  # some readers know only certain labels
            return given
        field = labelled.fields.get("label") if labelled is not None else None
        read = given if field is None else str(field.label)  # type: ignore[attr-defined]
        if read == given or given not in self.known_labels():
            return read
        if given not in self._own_labels:
            self._own_labels += (given,)
            logger.warning(
                "the label %r is taken for the model's class of this name, not for %r as in files of %s",
                *(given, read, registered_name(DatasetReader, self._dataset_reader)),
            )
        return given

    def _labelled(self, **label: Any) -> Optional[Instance]:
        """Return any instance with this label, or `None` if the reader leaves it out."""
        return self._instance({"text": "x"}, [Token("x")], **label)

    def _as_argument(self, given: Any) -> Dict[str, Any]:
        """Return the argument of `text_to_instance` for a label or tags."""
        tag_label = getattr(self._dataset_reader, "tag_label", "ner")
        names = inspect.signature(self._dataset_reader.text_to_instance).parameters
        known = [name for name in (*_LABEL_ARGUMENTS, f"{tag_label}_tags") if name in names]
        return {known[0]: given} if known else {}

    @abstractmethod
    def _readable(self, instance: Instance, output: Dict[str, Any]) -> JsonDict:
        """Return the part of a model's output that is for humans."""

    def _with_other_outputs(self, result: JsonDict, output: Dict[str, Any]) -> JsonDict:
        """Add the model's other outputs, without the hidden ones."""
        left_out = {*result, *(() if self._all_outputs else self._hidden_outputs)}
        return {**result, **{name: value for name, value in output.items() if name not in left_out}}

    def predict_batch_json(self, inputs: List[JsonDict]) -> List[JsonDict]:
        instances = [self._instance_of_words(json_dict) for json_dict in inputs]
        with_words = [instance for instance in instances if instance is not None]
        predictions = iter(self.predict_batch_instance(with_words) if with_words else [])
        outputs = [self._without_words() if each is None else next(predictions) for each in instances]
        return [self._with_gold(output, given) for output, given in zip(outputs, inputs)]

    def _with_gold(self, output: JsonDict, json_dict: JsonDict) -> JsonDict:
        """Add the gold label, and whether the prediction is equal to it."""
        gold = self.gold(json_dict) if self.answer in output else None
        if gold is None:
            return output
        answer = output[self.answer]
        known = list(dict.fromkeys(map(self.kind_of, self.known_labels())))
        unknown = set(map(self.kind_of, [gold] if isinstance(gold, str) else gold))
        for label in sorted(unknown.difference(known, self._unknown_labels) if known else ()):
            self._unknown_labels += (label,)
            hint = did_you_mean(label, known)
            logger.warning(
                "%r is a label that the model does not know, so `correct` is false%s", label, hint
            )
        return {self.answer: answer, "gold": gold, "correct": self._is_right(answer, gold), **output}

    def _is_right(self, answer: Any, gold: Any) -> bool:
        return bool(answer == gold)

    def kind_of(self, label: str) -> str:
        """Return what a label says: of a tag of an entity, its type."""
        return label

    def known_labels(self) -> List[str]:
        """Return the labels of the model, none if it has only numbers."""
        return list(self._model.vocab.get_token_to_index_vocabulary(namespace_of(self._model)))

    def predict_json(self, inputs: JsonDict) -> JsonDict:
        return self.predict_batch_json([inputs])[0]

    def predict_instance(self, instance: Instance) -> JsonDict:
        return self.predict_batch_instance([instance])[0]

    def predict_batch_instance(self, instances: List[Instance]) -> List[JsonDict]:
        for instance in instances:
            self._dataset_reader.apply_token_indexers(instance)
        learn_new_words(self._model, instances)
        if not self._has_warned:
            self._has_warned = warn_of_unknown_words(self._model, instances)
        batches = batches_by_length(instances, self._model)
        return sanitize(predictions_of(self._model, instances, batches, self._readable))


def predictor_of(archive: Archive, name: Optional[str] = None, **options: Any) -> Any:
    """
    Return the archive's predictor of this name, by default that of its model. AllenNLP looks for it in
    the config, where a fine-tuned model is `from_archive`, which has none.
    """
    of_model: Any = archive.model.default_predictor
    return Predictor.from_archive(archive, name or of_model, **options)


def predictions_of(
    model: Model,
    instances: Sequence[Instance],
    batches: Iterable[Sequence[int]],
    prediction: Callable[[Instance, Dict[str, Any]], Any],
) -> List[Any]:
    """
    Return the result of `prediction(instance, output)` for each instance, in the order of the instances.
    Each batch is a sequence of instance indices. Only the outputs of one batch are in memory at a time.
    """
    results: Dict[int, Any] = {}
    for batch in batches:
        outputs = model.forward_on_instances([instances[index] for index in batch])
        for index, output in zip(batch, outputs):
            results[index] = prediction(instances[index], output)
    return [results[index] for index in range(len(instances))]


def learn_new_words(model: Model, instances: Sequence[Instance]) -> bool:
    """
    Give the words of the instances to the model's embedders whose pretrained vectors have them. Return
    whether there are words that the model did not know.
    """
    found = False
    for module in model.modules():
        learn = getattr(module, "learn_new_words", None)  # of `VectorEmbedding`
        if learn is not None:
            with _learning:
                found |= learn(model, instances)
    return found


def warn_of_unknown_words(model: Model, instances: Sequence[Instance]) -> bool:
    """
    Log a warning if the model's vocabulary has less than half of the words. Return whether it did. The
    model would predict something, in silence.
    """
    counts: Dict[str, Dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for field in (field for instance in instances for field in instance.fields.values()):
        if isinstance(field, TextField):
            indexers = (field._token_indexers or {}).values()
            of_words = [each for each in indexers if isinstance(each, SingleIdTokenIndexer)]
            for indexer in {each.namespace: each for each in of_words}.values():
                for token in field.tokens:
                    indexer.count_vocab_items(token, counts)
    for namespace in counts.keys() & model.vocab.get_namespaces():
        known = model.vocab.get_token_to_index_vocabulary(namespace)
        number = sum(counts[namespace].values())
        unknown = sum(count for word, count in counts[namespace].items() if word not in known)
        if number >= _FEW_WORDS and 2 * unknown > number and model.vocab.is_padded(namespace):
            logger.warning(
                "%d of %d words are unknown to the model: are the texts in the language and Unicode "
                "form of its training data, and divided into words like them?",
                *(unknown, number),
            )
            return True
    return False


def batches_by_length(instances: Sequence[Instance], model: torch.nn.Module) -> Iterator[List[int]]:
    """Yield batches of indices of instances with similar lengths. The limit includes padding."""
    is_on_cpu = all(parameter.device.type == "cpu" for parameter in model.parameters())
    limit = _MAX_BATCH_WORDS if is_on_cpu else _ON_A_GPU
    lengths = [
        max((len(field) for field in instance.values() if isinstance(field, TextField)), default=1)
        for instance in instances
    ]
    batch: List[int] = []
    for index in sorted(range(len(instances)), key=lengths.__getitem__):
        if batch and lengths[index] * (len(batch) + 1) > limit:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch


def text_of(json_dict: JsonDict) -> Union[str, List[str]]:
    """
    Return the raw text or the words of an input, or raise a `CorpusError`. Of several keys, one must
    have a value of its kind.
    """
    kinds: Dict[str, type] = {**dict.fromkeys(_TEXT_KEYS, str), "words": list}
    keys = [key for key in kinds if isinstance(json_dict, dict) and key in json_dict]
    if len(keys) > 1:
        keys = [key for key in keys if isinstance(json_dict[key], kinds[key])]
    if len(keys) != 1:
        several = f", with both {' and '.join(keys)}" if keys else ""
        shown = shortened(json.dumps(json_dict))
        raise CorpusError(f"the input is {shown}{several}, expected {_EXPECTED}")
    (key,) = keys
    given = json_dict[key]
    if key == "words":
        if not isinstance(given, list) or not all(isinstance(w, str) and is_word(w) for w in given):
            raise CorpusError(
                f"words is {shortened(repr(given))}, expected a list of words, none of them empty"
            )
    elif not isinstance(given, str):
        raise CorpusError(f"{key} is {shortened(repr(given))}, expected {_EXPECTED}")
    return given


def splitter_for(language: str) -> Tokenizer:
    """Return a tokenizer with spaCy's rules for a language, or an installed spaCy pipeline."""
    return SpacyTokenizer(language) if spacy.util.is_package(language) else SpacyBlankTokenizer(language)


def probabilities_of(model: Model, values: Sequence[float]) -> Dict[str, float]:
    """Return the probabilities of a classifier by class name."""
    labels = model.vocab.get_index_to_token_vocabulary(namespace_of(model))
    return {labels.get(number, str(number)): float(value) for number, value in enumerate(values)}
