from typing import Any, Dict, List, Optional

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.common.util import JsonDict
from allennlp.data import DatasetReader, Instance, Token
from allennlp.data.dataset_readers.dataset_utils.span_utils import InvalidTagSequence
from allennlp.data.fields import FlagField, SequenceLabelField
from allennlp.models import Model
from allennlp.modules.conditional_random_field import (
    ConditionalRandomField,
    ConditionalRandomFieldWeightLannoy,
)
from allennlp.predictors import Predictor, SentenceTaggerPredictor

from slstm_allennlp.common.errors import CorpusError
from slstm_allennlp.metrics.span_tags import spans_of, type_of
from slstm_allennlp.models.summary import encoding_of, namespace_of
from slstm_allennlp.predictors.text_input import TextInput, splitter_for, text_of


@Predictor.register("sentence_tagger", exist_ok=True)
class SentenceTagger(TextInput, SentenceTaggerPredictor):
    """
    Tag sentences with any tagger (`crf_tagger`, `simple_tagger` and similar models), offline. Raw text
    is split by spaCy's rules, without the model that AllenNLP's predictor downloads.

    Input: `{"sentence": "raw text"}` or `{"words": ["words", "of", "a", "sentence"]}`, with or without
    gold `tags`. A file can also contain training data, such as CoNLL-U.

    Output: `words`, `tags`, and `tagged`, which shows both side by side; `gold` (the tags in the input)
    and `correct`, if the input has tags; `spans`, if the tags are entities (the model has a
    `label_encoding`), each with `text`, `label`, `start` and `end`, which are character offsets in the
    sentence (the words joined by spaces, if the input was `words`); and `scores`, on request. All are
    empty for a sentence without words.

    It is the default predictor of these models, so no `--predictor` is needed. Other outputs of a model
    are kept, except those of `all_outputs`. The outputs of a model without `tags` are not changed.
    `ConfigurationError` for an unknown language, and for `scores` of a model without probabilities.

    # Parameters

    model : `Model`
    dataset_reader : `DatasetReader`
    language : `str`, optional (default = `"en"`)
        A language that `SpacyBlankTokenizer` supports, or the name of an installed spaCy pipeline, such
        as `"en_core_web_sm"`, for readers that use its annotations.
    scores : `bool`, optional (default = `False`)
        Whether to add the probability of each predicted tag given the whole sentence: its marginal
        probability under a CRF, the softmax otherwise.
    all_outputs : `bool`, optional (default = `False`)
        Whether to keep the model's logits, mask and class probabilities.

    From the command line: `--predictor-args '{"scores": true}'`.
    """

    answer = "tags"
    _hidden_outputs = ("logits", "mask", "class_probabilities")

    def __init__(
        self,
        model: Model,
        dataset_reader: DatasetReader,
        language: str = "en",
        scores: bool = False,
        all_outputs: bool = False,
    ) -> None:
        TextInput.__init__(self, model, dataset_reader, all_outputs)
        self._splitter = splitter_for(language)
        self._scores = scores
        self._label_encoding = encoding_of(model)

    def predict_batch_json(self, inputs: List[JsonDict]) -> List[JsonDict]:
        outputs = super().predict_batch_json(inputs)
        for json_dict, output in zip(inputs, outputs):
            text = text_of(json_dict)
            for span in output.get("spans", []) if isinstance(text, str) else []:
                span["text"] = text[span["start"] : span["end"]]
        return outputs

    def predictions_to_labeled_instances(
        self, instance: Instance, outputs: Dict[str, Any]
    ) -> List[Instance]:
        """
        Return the sentence with the predicted tags, for AllenNLP's interpreters and attackers. As in
        AllenNLP, there is one instance per entity. Its other tags are "O", and the loss ignores them.
        Unlike AllenNLP, support every encoding. Without entities, return one instance with all tags.
        """
        tags = list(outputs["tags"])
        spans = [] if self._label_encoding is None else spans_of(tags, self._label_encoding)
        entities = [
            [tag if first <= index <= last else "O" for index, tag in enumerate(tags)]
            for _, (first, last) in spans
        ]
        text = instance["tokens"]
        namespace = namespace_of(self._model)
        instances = []
        for labels in entities or [tags]:
            labeled = instance.duplicate()
            field = SequenceLabelField(labels, text, namespace)  # type: ignore[arg-type]
            labeled.add_field("tags", field, self._model.vocab)
            labeled.add_field("ignore_loss_on_o_tags", FlagField(bool(entities)))
            instances.append(labeled)
        return instances

    def _without_words(self) -> JsonDict:
        result = self._tagged([], [])
        return {**result, "scores": []} if self._scores else result

    def gold(self, json_dict: JsonDict) -> Optional[List[str]]:
        tags = json_dict.get("tags")
        if tags is None:
            return None
        if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
            raise CorpusError(f"tags is {tags!r}, expected a list of tags, such as B-PER")
        tags = [tag.strip() for tag in tags]
        tokens = self._tokens(json_dict)
        if len(tags) != len(tokens):
            raise CorpusError(f"there are {len(tags)} tags for {len(tokens)} words, expected one each")
        if not tags:
            return tags
        try:
            labelled = self._instance(json_dict, tokens, **self._as_argument(tags))
        except InvalidTagSequence:  # of AllenNLP's readers: tags that are BIOUL already
            return tags
        field = labelled.fields.get("tags")
        return tags if field is None else list(field.labels)  # type: ignore[attr-defined]

    def _is_right(self, answer: List[str], gold: List[str]) -> bool:
        if self._label_encoding is None:
            return answer == gold
        try:
            return spans_of(answer, self._label_encoding) == spans_of(gold, self._label_encoding)
        except InvalidTagSequence:  # of the gold tags
            return False

    def kind_of(self, label: str) -> str:
        return label if self._label_encoding is None else type_of(label)

    def _readable(self, instance: Instance, output: Dict[str, Any]) -> JsonDict:
        if "tags" not in output or "tokens" not in instance.fields:
            return output
        tokens: List[Token] = instance["tokens"].tokens  # type: ignore[attr-defined]
        tags = output["tags"][: len(tokens)]  # AllenNLP's `simple_tagger` tags padding, too
        result = self._tagged(tokens, tags)
        if self._scores:
            result["scores"] = self._probabilities(output, tags)
        return self._with_other_outputs(result, output)

    def _tagged(self, tokens: List[Token], tags: List[str]) -> JsonDict:
        words = [token.text for token in tokens]
        side_by_side = " ".join(f"{word}/{tag}" for word, tag in zip(words, tags))
        result: JsonDict = {"tagged": side_by_side, "words": words, "tags": tags}
        if self._label_encoding is not None:
            result["spans"] = _spans(tokens, tags, self._label_encoding)
        return result

    def _probabilities(self, output: Dict[str, Any], tags: List[str]) -> List[float]:
        namespace = namespace_of(self._model)
        ids = [self._model.vocab.get_token_index(tag, namespace) for tag in tags]
        if "class_probabilities" in output:
            return [float(output["class_probabilities"][i, id]) for i, id in enumerate(ids)]
        crf: Any = getattr(self._model, "crf", None)
        # The weights of "lannoy" change the loss alone.
        known = (ConditionalRandomField, ConditionalRandomFieldWeightLannoy)
        if "logits" not in output or type(crf) not in known:
            raise ConfigurationError(
                f"scores: {type(self._model).__name__} gives no probabilities, expected a model with "
                "class_probabilities or a CRF without weights of emissions or transitions"
            )
        logits = torch.as_tensor(output["logits"][: len(tags)], device=crf.transitions.device)
        path = torch.tensor([ids], device=logits.device)
        with torch.enable_grad():
            logits.requires_grad_()
            mask = torch.ones_like(path, dtype=torch.bool)
            log_likelihood = ConditionalRandomField.forward(crf, logits.unsqueeze(0), path, mask)  # type: ignore[arg-type]
            (gradient,) = torch.autograd.grad(log_likelihood, logits)
        # log p(path) = score(path) - log Z. The gradient of log Z by a logit is a marginal probability.
        return [1 - float(row[id]) for row, id in zip(gradient.cpu(), ids)]


def _spans(tokens: List[Token], tags: List[str], encoding: str) -> List[JsonDict]:
    """Return the entities with their character offsets in the sentence."""
    starts: List[int] = []
    sentence = ""
    for token in tokens:
        # Between tokens without offsets there is one space.
        next_start = len(sentence) + 1 if starts else 0
        starts.append(next_start if token.idx is None else token.idx)
        sentence = sentence.ljust(starts[-1]) + str(token)  # other white space becomes spaces
    spans = []
    for label, (first, last) in spans_of(tags, encoding):
        start, end = starts[first], starts[last] + len(str(tokens[last]))
        spans.append({"text": sentence[start:end], "label": label, "start": start, "end": end})
    return spans
