import json
from typing import Any, Dict, List

import spacy
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.common.util import JsonDict, sanitize
from allennlp.data import DatasetReader, Instance, Token
from allennlp.data.tokenizers import SpacyTokenizer, Tokenizer
from allennlp.models import Model
from allennlp.modules import ConditionalRandomField
from allennlp.predictors import Predictor, SentenceTaggerPredictor

from slstm_allennlp.tokenizers import SpacyBlankTokenizer

_EXPECTED = 'expected {"sentence": "raw text"} or {"words": ["words", "of", "a", "sentence"]}'
_FOR_MACHINES = ("logits", "mask", "class_probabilities")  # left out unless asked for


@Predictor.register("sentence_tagger", exist_ok=True)
class SentenceTagger(SentenceTaggerPredictor):
    """
    Tags sentences with any tagger (`crf_tagger`, `simple_tagger` and models like them), offline: raw
    text is split by spaCy's rules, without the model that AllenNLP's predictor downloads.

    Input: `{"sentence": "raw text"}` or `{"words": ["words", "of", "a", "sentence"]}`. Output: `tagged`,
    the words and tags side by side, `words` and `tags`, and `scores` when asked for. A sentence without
    words has empty ones.

    Registered as a `Predictor` with name "sentence_tagger", in AllenNLP's place, since that is the one
    that these models name as theirs: no `--predictor` is needed. What a model gives beside `tags` is
    kept, but for the three of `all_outputs`; a model that gives no `tags` has its outputs unchanged.

    # Parameters

    model : `Model`
    dataset_reader : `DatasetReader`
    language : `str`, optional (default = `"en"`)
        A language that `SpacyBlankTokenizer` takes, or the name of an installed spaCy pipeline, such as
        `"en_core_web_sm"`, for readers that use its analyses.
    scores : `bool`, optional (default = `False`)
        Whether to add each tag's probability given the whole sentence: its marginal under a CRF, the
        softmax elsewhere.
    all_outputs : `bool`, optional (default = `False`)
        Whether to keep the model's logits, mask and class probabilities.

    From the command line: `--predictor-args '{"scores": true}'`.

    # Errors

    `ConfigurationError` for an unknown language, and for scores of a model that gives none;
    `ValueError` for input of another form.
    """

    def __init__(
        self,
        model: Model,
        dataset_reader: DatasetReader,
        language: str = "en",
        scores: bool = False,
        all_outputs: bool = False,
    ) -> None:
        Predictor.__init__(self, model, dataset_reader)
        self._splitter: Tokenizer = (
            SpacyTokenizer(language)
            if spacy.util.is_package(language)
            else SpacyBlankTokenizer(language)
        )
        self._scores = scores
        self._all_outputs = all_outputs

    def load_line(self, line: str) -> JsonDict:
        try:
            return json.loads(line)
        except json.JSONDecodeError as error:
            raise ValueError(f"{line.strip()!r} is not JSON ({error}), {_EXPECTED}") from None

    def dump_line(self, outputs: JsonDict) -> str:
        return json.dumps(outputs, ensure_ascii=False) + "\n"

    def predict_json(self, inputs: JsonDict) -> JsonDict:
        return self.predict_batch_json([inputs])[0]

    def predict_batch_json(self, inputs: List[JsonDict]) -> List[JsonDict]:
        sentences = [self._tokens(json_dict) for json_dict in inputs]
        instances = [self._dataset_reader.text_to_instance(tokens) for tokens in sentences if tokens]
        predictions = iter(self.predict_batch_instance(instances) if instances else [])
        return [next(predictions) if tokens else self._no_words() for tokens in sentences]

    def predict_instance(self, instance: Instance) -> JsonDict:
        return self.predict_batch_instance([instance])[0]

    def predict_batch_instance(self, instances: List[Instance]) -> List[JsonDict]:
        for instance in instances:
            self._dataset_reader.apply_token_indexers(instance)
        outputs = self._model.forward_on_instances(instances)
        return [
            sanitize(self._readable(instance, output)) for instance, output in zip(instances, outputs)
        ]

    def _json_to_instance(self, json_dict: JsonDict) -> Instance:
        return self._dataset_reader.text_to_instance(self._tokens(json_dict))

    def _tokens(self, json_dict: JsonDict) -> List[Token]:
        if not isinstance(json_dict, dict) or ("sentence" in json_dict) == ("words" in json_dict):
            raise ValueError(f"the input is {json.dumps(json_dict)}, {_EXPECTED}")
        if "sentence" in json_dict:
            if not isinstance(json_dict["sentence"], str):
                raise ValueError(f"sentence is {json_dict['sentence']!r}, {_EXPECTED}")
            return self._splitter.tokenize(json_dict["sentence"])
        words = json_dict["words"]
        if not isinstance(words, list) or not all(isinstance(w, str) and w.strip() for w in words):
            raise ValueError(f"words is {words!r}, expected a list of words, none of them empty")
        return [Token(word) for word in words]

    def _no_words(self) -> JsonDict:
        return {**_tagged([], []), "scores": []} if self._scores else _tagged([], [])

    def _readable(self, instance: Instance, output: Dict[str, Any]) -> JsonDict:
        if "tags" not in output or "tokens" not in instance.fields:
            return output
        words = [token.text for token in instance["tokens"].tokens]  # type: ignore[attr-defined]
        tags = output["tags"]
        result = _tagged(words, tags)
        if self._scores:
            result["scores"] = self._probabilities(output)
        for name, value in output.items():
            if name not in result and (self._all_outputs or name not in _FOR_MACHINES):
                result[name] = value
        return result

    def _probabilities(self, output: Dict[str, Any]) -> List[float]:
        """The probability of each predicted tag."""
        tags = output["tags"]
        namespace = getattr(self._model, "label_namespace", "labels")
        ids = [self._model.vocab.get_token_index(tag, namespace) for tag in tags]
        if "class_probabilities" in output:
            return [float(output["class_probabilities"][i, id]) for i, id in enumerate(ids)]
        crf = getattr(self._model, "crf", None)
        if "logits" not in output or type(crf) is not ConditionalRandomField:
            raise ConfigurationError(
                f"scores: {type(self._model).__name__} gives no probabilities, expected a model with "
                "class_probabilities or an unweighted CRF"
            )
        logits = torch.as_tensor(output["logits"][: len(tags)], device=crf.transitions.device)
        path = torch.tensor([ids], device=logits.device)
        with torch.enable_grad():
            logits.requires_grad_()
            log_likelihood = crf(logits.unsqueeze(0), path, torch.ones_like(path, dtype=torch.bool))
            (gradient,) = torch.autograd.grad(log_likelihood, logits)
        # log p(path) = score(path) - log Z, and the gradient of log Z by a logit is a marginal.
        return [1 - float(gradient[i, id]) for i, id in enumerate(ids)]


def _tagged(words: List[str], tags: List[str]) -> JsonDict:
    side_by_side = " ".join(f"{word}/{tag}" for word, tag in zip(words, tags))
    return {"tagged": side_by_side, "words": words, "tags": tags}
