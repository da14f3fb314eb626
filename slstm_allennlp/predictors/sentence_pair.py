import json
from typing import Any, Dict, List, Optional

from allennlp.common.util import JsonDict
from allennlp.data import Instance
from allennlp.data.fields import TextField
from allennlp.predictors import Predictor, TextClassifierPredictor

from slstm_allennlp.common.errors import CorpusError
from slstm_allennlp.dataset_readers.lines import shortened
from slstm_allennlp.dataset_readers.table_reader import NO_GOLD
from slstm_allennlp.predictors.text_input import TextInput, probabilities_of

_KEYS = (("premise", "hypothesis"), ("sentence1", "sentence2"))


@Predictor.register("sentence_pair")
class SentencePair(TextInput):
    """
    Classify pairs of sentences, offline. The reader's tokenizer splits them.

    Input: `{"premise": "raw text", "hypothesis": "raw text"}`, or the keys `sentence1` and `sentence2`
    of SNLI and MultiNLI, so that their files can be used directly, with or without labels. Other keys
    are ignored. In plain text, a line contains two sentences with a tab between them, or is blank.

    Output: `label`; `gold` (the label in the input) and `correct`, if the input has a label; and
    `probabilities`, by class name. If a sentence has no words, the label is `null` and there are no
    probabilities.

    It is the default predictor of `sentence_pair_classifier` and `combined_pair_classifier`.

    # Parameters

    model : `Model`
    dataset_reader : `DatasetReader`
    all_outputs : `bool`, optional (default = `False`)
        Whether to keep the model's logits, list of probabilities, tokens and token ids.
    """

    expected = '{"premise": "raw text", "hypothesis": "raw text"}, or sentence1 and sentence2'
    plain_text = "plain text, two texts per line with a tab between"
    is_plain_with_tabs = True
    _hidden_outputs = ("probs", "logits", "token_ids", "tokens")

    def of_sentence(self, text: str) -> JsonDict:
        """Return the input for two sentences with a tab between, or for a blank line."""
        sentences = text.split("\t") if text.strip() else ["", ""]
        if len(sentences) != 2:
            raise CorpusError(
                f"there are {len(sentences) - 1} tabs, expected one, between two sentences (a table of "
                "more columns needs a header line and a name that ends in .tsv)"
            )
        return dict(zip(("premise", "hypothesis"), sentences))

    def check_input(self, json_dict: JsonDict) -> None:
        self._sentences(json_dict)
        self.gold(json_dict)

    def _instance_of_words(self, json_dict: JsonDict) -> Optional[Instance]:
        pair = self._json_to_instance(json_dict)
        texts = [field for field in pair.values() if isinstance(field, TextField)]
        has_words = all(map(len, texts)) and all(map(str.strip, self._sentences(json_dict)))
        return pair if has_words else None

    def _without_words(self) -> JsonDict:
        return {"label": None, "probabilities": {}}

    def _given(self, json_dict: JsonDict) -> Any:
        """Return the value of `gold_label`, as in SNLI, or of `label`."""
        if "gold_label" not in json_dict:
            return json_dict.get("label")
        label = json_dict["gold_label"]
        return None if label in NO_GOLD else label

    def _labelled(self, **label: Any) -> Optional[Instance]:
        return self._dataset_reader.text_to_instance("x", "x", **label)

    def _json_to_instance(self, json_dict: JsonDict) -> Instance:
        return self._dataset_reader.text_to_instance(*self._sentences(json_dict))

    def _sentences(self, json_dict: JsonDict) -> List[str]:
        keys = next((k for k in _KEYS if isinstance(json_dict, dict) and set(k) <= set(json_dict)), None)
        if keys is None:
            shown = shortened(json.dumps(json_dict))
            raise CorpusError(f"the input is {shown}, expected {self.expected}")
        for key in keys:
            if not isinstance(json_dict[key], str):
                shown = shortened(repr(json_dict[key]))
                raise CorpusError(f"{key} is {shown}, expected {self.expected}")
        return [json_dict[key] for key in keys]

    # For AllenNLP's interpreters and attackers.
    predictions_to_labeled_instances = TextClassifierPredictor.predictions_to_labeled_instances

    def _readable(self, instance: Instance, output: Dict[str, Any]) -> JsonDict:
        result = {
            "label": output["label"],
            "probabilities": probabilities_of(self._model, output["probs"]),
        }
        return self._with_other_outputs(result, output)
