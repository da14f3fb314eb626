from typing import Any, Dict, List

from allennlp.common.util import JsonDict
from allennlp.data import Instance
from allennlp.predictors import Predictor

from slstm_allennlp.predictors.text_input import TextInput, probabilities_of

_KEYS = (("premise", "hypothesis"), ("sentence1", "sentence2"))
_FOR_MACHINES = ("probs", "logits")


@Predictor.register("sentence_pair")
class SentencePair(TextInput):
    """
    Classifies pairs of sentences, offline. The reader's tokenizer splits them.

    Input: `{"premise": "raw text", "hypothesis": "raw text"}`, or with the keys of SNLI's and MultiNLI's
    files, `sentence1` and `sentence2` (others are passed over), so that their files can be given as they
    are, unlabelled ones too. Output: `label`, and `probabilities`, that of every class by its name.

    Registered as a `Predictor` with name "sentence_pair"; `sentence_pair_classifier` names it as its
    own: no `--predictor` is needed.

    # Errors

    `ValueError` for input of another form, and for a sentence without words.
    """

    expected = '{"premise": "raw text", "hypothesis": "raw text"}'

    def of_sentence(self, text: str) -> JsonDict:
        """A sentence and itself."""
        return {"premise": text, "hypothesis": text}

    def predict_batch_json(self, inputs: List[JsonDict]) -> List[JsonDict]:
        return self.predict_batch_instance([self._json_to_instance(pair) for pair in inputs])

    def _json_to_instance(self, json_dict: JsonDict) -> Instance:
        keys = next((k for k in _KEYS if isinstance(json_dict, dict) and set(k) <= set(json_dict)), None)
        if keys is None:
            raise self.unexpected(json_dict)
        for key in keys:
            if not isinstance(json_dict[key], str):
                raise ValueError(f"{key} is {json_dict[key]!r}, expected {self.expected}")
        instance = self._dataset_reader.text_to_instance(*(json_dict[key] for key in keys))
        for key, name in zip(keys, ("premise", "hypothesis")):
            if len(instance[name]) == 0:  # type: ignore[arg-type]
                raise ValueError(f"{key} is {json_dict[key]!r}, which has no words, expected some")
        return instance

    def _readable(self, instance: Instance, output: Dict[str, Any]) -> JsonDict:
        result: JsonDict = {
            "label": output["label"],
            "probabilities": probabilities_of(self._model, output["probs"]),
        }
        for name, value in output.items():
            if name not in result and name not in _FOR_MACHINES:
                result[name] = value
        return result
