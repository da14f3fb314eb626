from typing import Any, Dict, List

from allennlp.common.checks import ConfigurationError
from allennlp.common.util import JsonDict
from allennlp.data import DatasetReader, Instance, Token, Tokenizer
from allennlp.models import Model
from allennlp.predictors import Predictor, TextClassifierPredictor

from slstm_allennlp.dataset_readers.corpus_reader import CorpusReader
from slstm_allennlp.predictors.text_input import TextInput, probabilities_of, splitter_for, text_of

_PROBABILITIES = ("probs", "class_probabilities")  # their names in the models' outputs


@Predictor.register("text_classifier", exist_ok=True)
class TextClassifier(TextInput, TextClassifierPredictor):
    """
    Classify texts with any classifier (`basic_classifier` and similar models), offline. Raw text is
    split by the dataset reader's tokenizer or, if it has none, by spaCy's rules, without the model that
    AllenNLP's predictor downloads.

    Input: `{"sentence": "raw text"}`, `{"words": ["words", "of", "a", "text"]}`, or training data,
    such as `{"text": "raw text", "label": "a class"}`.

    Output: `label`; `gold` (the label in the input) and `correct`, if the input has a label;
    `probabilities`, by class name; and `words`, as the reader split them (AllenNLP's readers split the
    `words` of the input again). A text without words has the label `null` and no probabilities.

    It is the default predictor of these models, so no `--predictor` is needed. Other outputs of a model
    are kept, except those of `all_outputs`. The outputs of a model without class probabilities are not
    changed. `ConfigurationError` for an unknown language; `CorpusError` for invalid input.

    # Parameters

    model : `Model`
    dataset_reader : `DatasetReader`
    language : `str`, optional (default = `"en"`)
        For readers without a tokenizer: a language that `SpacyBlankTokenizer` supports, or the name of
        an installed spaCy pipeline.
    all_outputs : `bool`, optional (default = `False`)
        Whether to keep the model's logits, list of probabilities, tokens and token ids.

    From the command line: `--predictor-args '{"all_outputs": true}'`.
    """

    _hidden_outputs = (*_PROBABILITIES, "logits", "token_ids", "tokens")

    def __init__(
        self,
        model: Model,
        dataset_reader: DatasetReader,
        language: str = "en",
        all_outputs: bool = False,
    ) -> None:
        TextInput.__init__(self, model, dataset_reader, all_outputs)
        if getattr(dataset_reader, "_combine_input_fields", False):
            raise ConfigurationError(
                "the model's reader makes one text of two (combine_input_fields), expected the "
                "predictor sentence_pair (by --predictor), or the model combined_pair_classifier"
            )
        own = [getattr(dataset_reader, name, None) for name in ("_tokenizer", "tokenizer")]
        tokenizer = next((each for each in own if each is not None), None)
        self._reader_tokenizer = tokenizer
        if tokenizer is not None and language != "en":
            raise ConfigurationError(
                f"language is {language!r}, and the model's reader splits texts, expected no language"
            )
        # That of another project may be a function.
        self._splitter = tokenizer if isinstance(tokenizer, Tokenizer) else splitter_for(language)

    def _without_words(self) -> JsonDict:
        return {"label": None, "probabilities": {}, "words": []}

    def _instance(self, json_dict: JsonDict, tokens: List[Token], **label: Any) -> Instance:
        if self._reader_tokenizer is None or isinstance(self._dataset_reader, CorpusReader):
            return super()._instance(json_dict, tokens, **label)
        # AllenNLP's readers with a tokenizer accept only raw text, so they split words again.
        text = text_of(json_dict)
        raw = text if isinstance(text, str) else " ".join(text)
        return self._dataset_reader.text_to_instance(raw, **label)

    def _readable(self, instance: Instance, output: Dict[str, Any]) -> JsonDict:
        name = next((name for name in _PROBABILITIES if name in output), None)
        if name is None or "tokens" not in instance.fields:
            return output
        probabilities = probabilities_of(self._model, output[name])
        result = {
            "label": output.get("label", max(probabilities, key=probabilities.__getitem__)),
            "probabilities": probabilities,
            "words": [token.text for token in instance["tokens"].tokens],  # type: ignore[attr-defined]
        }
        return self._with_other_outputs(result, output)
