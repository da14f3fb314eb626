from typing import Any, Dict, List, Optional

import numpy
from allennlp.common.util import JsonDict
from allennlp.data import Instance
from allennlp.data.fields import LabelField
from allennlp.predictors import Predictor

from slstm_allennlp.predictors.text_input import TextInput, probabilities_of

_KEYS = (("premise", "hypothesis"), ("sentence1", "sentence2"))
_FOR_MACHINES = ("probs", "logits")
_NO_LABEL = (None, "-", "hidden")  # SNLI's where annotators do not agree, MultiNLI's of its test set


@Predictor.register("sentence_pair")
class SentencePair(TextInput):
    """
    Classifies pairs of sentences, offline. The reader's tokenizer splits them.

    Input: `{"premise": "raw text", "hypothesis": "raw text"}`, or with the keys of SNLI's and MultiNLI's
    files, `sentence1` and `sentence2` (others are passed over), so that their files can be given as they
    are, unlabelled ones too; in plain text, two sentences a line with a tab between.

    Output: `label`; with a label in the input, that one as `gold`, and `correct`; and `probabilities`,
    that of every class by its name. A pair with a sentence without words has the label `null` and no
    probabilities.

    Registered as a `Predictor` with name "sentence_pair"; `sentence_pair_classifier` names it as its
    own: no `--predictor` is needed.

    # Errors

    `ValueError` for input of another form.
    """

    expected = '{"premise": "raw text", "hypothesis": "raw text"}, or sentence1 and sentence2'

    def of_sentence(self, text: str) -> JsonDict:
        """A line of text: two sentences with a tab between, or a sentence and itself."""
        first, tab, second = text.partition("\t")
        return {"premise": first, "hypothesis": second if tab else first}

    def check_input(self, json_dict: JsonDict) -> None:
        self._sentences(json_dict)

    def _instance_of_words(self, json_dict: JsonDict) -> Optional[Instance]:
        pair = self._json_to_instance(json_dict)
        has_words = all(len(pair[name]) > 0 for name in ("premise", "hypothesis"))  # type: ignore[arg-type]
        return pair if has_words else None

    def _without_words(self) -> JsonDict:
        return {"label": None, "probabilities": {}}

    def _gold(self, json_dict: JsonDict, output: JsonDict) -> Optional[str]:
        """The label that SNLI's or another file has."""
        label = json_dict.get("gold_label", json_dict.get("label"))
        return None if label in _NO_LABEL else str(label)

    def _json_to_instance(self, json_dict: JsonDict) -> Instance:
        return self._dataset_reader.text_to_instance(*self._sentences(json_dict))

    def _sentences(self, json_dict: JsonDict) -> List[str]:
        keys = next((k for k in _KEYS if isinstance(json_dict, dict) and set(k) <= set(json_dict)), None)
        if keys is None:
            raise self.unexpected(json_dict)
        for key in keys:
            if not isinstance(json_dict[key], str):
                raise ValueError(f"{key} is {json_dict[key]!r}, expected {self.expected}")
        return [json_dict[key] for key in keys]

    def predictions_to_labeled_instances(
        self, instance: Instance, outputs: Dict[str, numpy.ndarray]
    ) -> List[Instance]:
        """The pair with the predicted label, for AllenNLP's interpreters and attackers."""
        labeled = instance.duplicate()
        labeled.add_field("label", LabelField(int(outputs["probs"].argmax()), skip_indexing=True))
        return [labeled]

    def _readable(self, instance: Instance, output: Dict[str, Any]) -> JsonDict:
        result: JsonDict = {
            "label": output["label"],
            "probabilities": probabilities_of(self._model, output["probs"]),
        }
        for name, value in output.items():
            if name not in result and name not in _FOR_MACHINES:
                result[name] = value
        return result
