import json
from abc import abstractmethod
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Sequence, TypeVar, Union

import spacy
from allennlp.common.util import JsonDict, sanitize
from allennlp.data import Instance, Token
from allennlp.data.fields import TextField
from allennlp.data.tokenizers import SpacyTokenizer, Tokenizer
from allennlp.models import Model
from allennlp.predictors import Predictor

from slstm_allennlp.dataset_readers.lines import parsed_json
from slstm_allennlp.modules.token_embedders.new_words import learn_new_words
from slstm_allennlp.tokenizers import SpacyBlankTokenizer

T = TypeVar("T")

_EXPECTED = '{"sentence": "raw text"} or {"words": ["words", "of", "a", "sentence"]}'
_TEXT_KEYS = ("sentence", "text")
_WORDS = 500  # of a batch: more do not make it faster, and longer texts need no more memory


class TextInput(Predictor):
    """
    What the predictors share: their input, a JSON object a line, `{"sentence": "raw text"}` or
    `{"words": ["words", "of", "a", "sentence"]}` if they do not say otherwise, and their output, a JSON
    object a line. `text` is the same as `sentence`, as in the files that classifiers are trained on. An
    input may have what is right, as those files do: the output then has it as `gold`, and says under
    `correct` whether the prediction is the same.
    """

    expected = _EXPECTED
    answer = "label"
    """The output's key for the prediction."""

    def load_line(self, line: str) -> JsonDict:
        text = line.strip().lstrip("\ufeff")  # the mark with which some editors begin a file
        try:
            return parsed_json(text)
        except ValueError as error:
            raise ValueError(f"{text!r} is {error}, expected {self.expected}") from None

    def dump_line(self, outputs: JsonDict) -> str:
        return json.dumps(outputs, ensure_ascii=False) + "\n"

    def of_sentence(self, text: str) -> JsonDict:
        """The input for one sentence of raw text."""
        return {"sentence": text}

    def unexpected(self, json_dict: Any) -> ValueError:
        """What to raise for input of another form."""
        return ValueError(f"the input is {json.dumps(json_dict)}, expected {self.expected}")

    def check_input(self, json_dict: JsonDict) -> None:
        """A `ValueError` for an input of another form, without a prediction."""
        text_of(json_dict)

    @abstractmethod
    def _instance_of_words(self, json_dict: JsonDict) -> Optional[Instance]:
        """The instance of an input; None for one without words, which models do not take."""

    @abstractmethod
    def _without_words(self) -> JsonDict:
        """The output for that."""

    def _gold(self, json_dict: JsonDict, output: JsonDict) -> Any:
        """What the input says is right; None where it says nothing."""
        label = json_dict.get("label")
        return None if label is None else str(label)

    @abstractmethod
    def _readable(self, instance: Instance, output: Dict[str, Any]) -> JsonDict:
        """What people want to read of a model's output."""

    def predict_batch_json(self, inputs: List[JsonDict]) -> List[JsonDict]:
        instances = [self._instance_of_words(json_dict) for json_dict in inputs]
        whole = [instance for instance in instances if instance is not None]
        predictions = iter(self.predict_batch_instance(whole) if whole else [])
        outputs = [self._without_words() if each is None else next(predictions) for each in instances]
        return [self._with_gold(output, given) for output, given in zip(outputs, inputs)]

    def _with_gold(self, output: JsonDict, json_dict: JsonDict) -> JsonDict:
        """The output with what is right, and whether the prediction is."""
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
        learn_new_words(self._model, instances)
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
    What `prediction` makes of each instance and its outputs, in the order of the instances. Batches are
    the places of those that the model has at a time; no more outputs than a batch's are kept.
    """
    found: Dict[int, T] = {}
    for batch in batches:
        outputs = model.forward_on_instances([instances[place] for place in batch])
        for place, output in zip(batch, outputs):
            found[place] = prediction(instances[place], output)
    return [found[place] for place in range(len(instances))]


def _batches_by_length(instances: Sequence[Instance]) -> Iterator[List[int]]:
    """The places of instances of about one length, at most `_WORDS` with their padding together."""
    lengths = [
        max((len(field) for field in instance.values() if isinstance(field, TextField)), default=1)
        for instance in instances
    ]
    batch: List[int] = []
    for place in sorted(range(len(instances)), key=lengths.__getitem__):
        if batch and lengths[place] * (len(batch) + 1) > _WORDS:
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch


def text_of(json_dict: JsonDict) -> Union[str, List[str]]:
    """
    An input's raw text, or its words.

    # Errors

    `ValueError` for an input of another form.
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


def tokens_of(json_dict: JsonDict, splitter: Tokenizer) -> List[Token]:
    """The tokens of an input; raw text is split."""
    text = text_of(json_dict)
    return splitter.tokenize(text) if isinstance(text, str) else [Token(word) for word in text]


def splitter_for(language: str) -> Tokenizer:
    """spaCy's rules for a language, or an installed spaCy pipeline of that name."""
    return SpacyTokenizer(language) if spacy.util.is_package(language) else SpacyBlankTokenizer(language)


def probabilities_of(model: Model, values: Sequence[float]) -> Dict[str, float]:
    """The probabilities that a classifier gave, by the names of the classes."""
    namespace = getattr(model, "_label_namespace", "labels")
    labels = model.vocab.get_index_to_token_vocabulary(namespace)
    return {labels.get(number, str(number)): float(value) for number, value in enumerate(values)}
