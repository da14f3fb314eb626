import json
from abc import abstractmethod
from typing import (
    Any,
    Callable,
    Dict,
    Iterable,
    Iterator,
    List,
    Optional,
    Sequence,
    Tuple,
    TypeVar,
    Union,
)

import spacy
from allennlp.common.util import JsonDict, sanitize
from allennlp.data import Instance, Token
from allennlp.data.fields import TextField
from allennlp.data.tokenizers import SpacyTokenizer, Tokenizer
from allennlp.models import Model
from allennlp.predictors import Predictor

from slstm_allennlp.dataset_readers.lines import parsed_json
from slstm_allennlp.tokenizers import SpacyBlankTokenizer

T = TypeVar("T")

_EXPECTED = '{"sentence": "raw text"} or {"words": ["words", "of", "a", "sentence"]}'
_TEXT_KEYS = ("sentence", "text")
_MAX_BATCH_WORDS = 500  # limits the memory for long texts; larger batches are not faster


class TextInput(Predictor):
    """
    Base class of the predictors. Their input is one JSON object per line, by default
    `{"sentence": "raw text"}` or `{"words": ["words", "of", "a", "sentence"]}`. `text` is a synonym of
    `sentence`, as in training data of classifiers. Their output is one JSON object per line. If an input
    contains a gold label, the output contains it as `gold`, and in `correct` whether the prediction is
    equal to it.
    """

    expected = _EXPECTED
    answer = "label"
    """The key of the prediction in the output."""
    _hidden_outputs: Tuple[str, ...] = ()
    """The model's outputs that are for machines: left out unless `all_outputs` is true."""
    _all_outputs = False
    _splitter: Tokenizer
    """The tokenizer for raw text."""

    def load_line(self, line: str) -> JsonDict:
        text = line.strip().lstrip("\ufeff")  # the byte order mark
        try:
            return parsed_json(text)
        except ValueError as error:
            raise ValueError(f"{text!r} is {error}, expected {self.expected}") from None

    def dump_line(self, outputs: JsonDict) -> str:
        return json.dumps(outputs, ensure_ascii=False) + "\n"

    def of_sentence(self, text: str) -> JsonDict:
        """Return the input for one sentence of raw text."""
        return {"sentence": text}

    def check_input(self, json_dict: JsonDict) -> None:
        """Raise a `ValueError` for an invalid input, without predicting."""
        text_of(json_dict)

    def _tokens(self, json_dict: JsonDict) -> List[Token]:
        text = text_of(json_dict)
        return self._splitter.tokenize(text) if isinstance(text, str) else [Token(word) for word in text]

    def _instance(self, json_dict: JsonDict, tokens: List[Token]) -> Instance:
        """Return the instance of an input and its tokens."""
        return self._dataset_reader.text_to_instance(tokens)

    def _json_to_instance(self, json_dict: JsonDict) -> Instance:
        return self._instance(json_dict, self._tokens(json_dict))

    def _instance_of_words(self, json_dict: JsonDict) -> Optional[Instance]:
        """Return the instance of an input, or `None` without words, since models need at least one."""
        tokens = self._tokens(json_dict)
        return self._instance(json_dict, tokens) if tokens else None

    @abstractmethod
    def _without_words(self) -> JsonDict:
        """Return the output for an input without words."""

    def _gold(self, json_dict: JsonDict, output: JsonDict) -> Any:
        """Return the gold label in the input, or `None` if there is none."""
        label = json_dict.get("label")
        return None if label is None else str(label)

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
        gold = self._gold(json_dict, output) if self.answer in output else None
        if gold is None:
            return output
        answer = output[self.answer]
        return {self.answer: answer, "gold": gold, "correct": answer == gold, **output}

    def predict_json(self, inputs: JsonDict) -> JsonDict:
        return self.predict_batch_json([inputs])[0]

    def predict_instance(self, instance: Instance) -> JsonDict:
        return self.predict_batch_instance([instance])[0]

    def predict_batch_instance(self, instances: List[Instance]) -> List[JsonDict]:
        for instance in instances:
            self._dataset_reader.apply_token_indexers(instance)
        for module in self._model.modules():
            learn = getattr(module, "learn_new_words", None)  # of an embedder with pretrained vectors
            if learn is not None:
                learn(self._model, instances)
        batches = _batches_by_length(instances)
        return predictions_of(
            self._model, instances, batches, lambda *of_one: sanitize(self._readable(*of_one))
        )


def predictions_of(
    model: Model,
    instances: Sequence[Instance],
    batches: Iterable[Sequence[int]],
    prediction: Callable[[Instance, Dict[str, Any]], T],
) -> List[T]:
    """
    Return the result of `prediction(instance, output)` for each instance, in the order of the instances.
    Each batch is a sequence of instance indices. Only the outputs of one batch are in memory at a time.
    """
    results: Dict[int, T] = {}
    for batch in batches:
        outputs = model.forward_on_instances([instances[index] for index in batch])
        for index, output in zip(batch, outputs):
            results[index] = prediction(instances[index], output)
    return [results[index] for index in range(len(instances))]


def _batches_by_length(instances: Sequence[Instance]) -> Iterator[List[int]]:
    """Yield batches of indices of instances with similar lengths. The limit includes padding."""
    lengths = [
        max((len(field) for field in instance.values() if isinstance(field, TextField)), default=1)
        for instance in instances
    ]
    batch: List[int] = []
    for index in sorted(range(len(instances)), key=lengths.__getitem__):
        if batch and lengths[index] * (len(batch) + 1) > _MAX_BATCH_WORDS:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch


def text_of(json_dict: JsonDict) -> Union[str, List[str]]:
    """
    Return the raw text or the words of an input.

    # Errors

    `ValueError` for an invalid input.
    """
    keys = [key for key in (*_TEXT_KEYS, "words") if isinstance(json_dict, dict) and key in json_dict]
    if len(keys) != 1:
        raise ValueError(f"the input is {json.dumps(json_dict)}, expected {_EXPECTED}")
    (key,) = keys
    given = json_dict[key]
    if key == "words":
        if not isinstance(given, list) or not all(isinstance(w, str) and w.strip() for w in given):
            raise ValueError(f"words is {given!r}, expected a list of words, none of them empty")
    elif not isinstance(given, str):
        raise ValueError(f"{key} is {given!r}, expected {_EXPECTED}")
    return given


def splitter_for(language: str) -> Tokenizer:
    """Return a tokenizer with spaCy's rules for a language, or an installed spaCy pipeline."""
    return SpacyTokenizer(language) if spacy.util.is_package(language) else SpacyBlankTokenizer(language)


def probabilities_of(model: Model, values: Sequence[float]) -> Dict[str, float]:
    """Return the probabilities of a classifier by class name."""
    namespace = getattr(model, "_label_namespace", "labels")
    labels = model.vocab.get_index_to_token_vocabulary(namespace)
    return {labels.get(number, str(number)): float(value) for number, value in enumerate(values)}
