import math
import os
import sys
import tempfile
from typing import Any, Dict, List, Optional, Sequence

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import Instance, TextFieldTensors, Vocabulary
from allennlp.models import Model
from allennlp.nn.util import get_text_field_mask
from allennlp.training.metrics import CategoricalAccuracy, SpanBasedF1Measure

from slstm_allennlp.common.extras import needs
from slstm_allennlp.linear.fitted_model import FittedModel, words_in
from slstm_allennlp.linear.tagging_features import features_of
from slstm_allennlp.metrics.span_tags import span_f1

# The smallest probability, also of tags that are not in the train set. It keeps the loss finite.
_MIN_PROBABILITY = sys.float_info.min


@Model.register("linear_tagger")
class LinearTagger(FittedModel):
    """
    Tag words by a linear-chain conditional random field (python-crfsuite) over hand-crafted features:
    the word, its affixes, its shape, and two neighbours on each side. The inputs are those of
    `crf_tagger`, `tokens` and `tags`, with the token indexer `utf8`. The trainer is `fit`. Training is
    deterministic. The metrics are `accuracy` and, for spans, `precision-overall`, `recall-overall` and
    `f1-measure-overall`.

    Registered as a `Model` with name "linear_tagger".

    # Parameters

    vocab : `Vocabulary`
    label_encoding : `str`, optional (default = `None`)
        BIO, IOB1, BIOUL or BMES, if the tags encode spans.
    calculate_span_f1 : `bool`, optional (default = `None`)
        Whether to compute the span metrics. Default: true if `label_encoding` is given.
    c1, c2 : `float`, optional (default = `0.1`, `0.01`)
        The coefficients of L1 and L2 regularisation.
    max_iterations : `int`, optional (default = `100`)
        The maximum number of L-BFGS iterations.
    label_namespace : `str`, optional (default = `"labels"`)

    # Errors

    `ConfigurationError` if python-crfsuite is not installed, for `calculate_span_f1` without a
    `label_encoding`, for an argument out of range, and for instances without tags.
    """

    default_predictor = "sentence_tagger"

    def __init__(
        self,
        vocab: Vocabulary,
        label_encoding: Optional[str] = None,
        calculate_span_f1: Optional[bool] = None,
        c1: float = 0.1,
        c2: float = 0.01,
        max_iterations: int = 100,
        label_namespace: str = "labels",
    ) -> None:
        super().__init__(vocab)
        needs("pycrfsuite", "linear")
        if calculate_span_f1 and label_encoding is None:
            raise ConfigurationError(
                "linear_tagger: calculate_span_f1 is true without label_encoding, expected BIO, IOB1, "
                "BIOUL or BMES there"
            )
        if min(c1, c2) < 0 or max_iterations < 1:
            raise ConfigurationError(
                f"linear_tagger: c1 is {c1}, c2 {c2} and max_iterations {max_iterations}, expected 0 or "
                "more, 0 or more and 1 or more"
            )
        # Public, because the predictor `sentence_tagger` reads both.
        self.label_encoding = label_encoding
        self.label_namespace = label_namespace
        self._settings = {
            "c1": c1,
            "c2": c2,
            "max_iterations": max_iterations,
            "feature.possible_transitions": True,
        }
        self._accuracy = CategoricalAccuracy()
        self._span_f1: Optional[SpanBasedF1Measure] = None
        if label_encoding is not None and calculate_span_f1 is not False:
            self._span_f1 = span_f1(vocab, label_namespace, label_encoding)

    def fit(
        self, train: Sequence[Instance], validation: Optional[Sequence[Instance]]
    ) -> Dict[str, float]:
        for instance in train:
            if "tags" not in instance.fields:
                raise ConfigurationError("an instance of the train set has no tags, expected some")
        self._fitted = _fitted(
            [[str(token.text) for token in instance["tokens"]] for instance in train],  # type: ignore[attr-defined]
            [list(map(str, instance["tags"].labels)) for instance in train],  # type: ignore[attr-defined]
            self._settings,
        )
        return {}

    @property
    def num_weights(self) -> int:
        return self.fitted.num_weights

    def get_extra_state(self) -> Dict[str, Any]:
        if not self.is_fitted:
            return {}
        model = torch.frombuffer(bytearray(self.fitted.model), dtype=torch.uint8)
        return {"model": model, "num_weights": self.num_weights}

    def set_extra_state(self, state: Dict[str, Any]) -> None:
        if state:
            self._fitted = _Crf(state["model"].cpu().numpy().tobytes(), state["num_weights"])

    def forward(  # type: ignore[override]
        self,
        tokens: TextFieldTensors,
        tags: Optional[torch.LongTensor] = None,
        metadata: Optional[List[Dict[str, Any]]] = None,
    ) -> Dict[str, Any]:
        """
        # Returns

        `Dict[str, Any]`
            `tags`, the predicted tag indices of each sentence, and `mask`. With gold `tags` also `loss`,
            the negative log-likelihood, summed over the batch as in `crf_tagger`.
        """
        crf: _Crf = self.fitted
        sentences, mask = words_in(tokens), get_text_field_mask(tokens)
        predicted, losses = [], []
        for number, words in enumerate(sentences):
            predicted.append(list(map(self._number_of, crf.tags(words))))
            if tags is not None:
                gold = map(self._name_of, tags[number, : len(words)].tolist())
                losses.append(-math.log(max(crf.probability(list(gold)), _MIN_PROBABILITY)))
        if tags is None:
            return {"tags": predicted, "mask": mask}
        self._update_metrics(predicted, tags, mask)
        loss = torch.tensor(sum(losses), dtype=torch.get_default_dtype(), device=mask.device)
        return {"tags": predicted, "mask": mask, "loss": loss}

    def make_output_human_readable(self, output_dict: Dict[str, Any]) -> Dict[str, Any]:
        """Replace the indices in `tags` by names."""
        output_dict["tags"] = [list(map(self._name_of, tags)) for tags in output_dict["tags"]]
        return output_dict

    def get_metrics(self, reset: bool = False) -> Dict[str, float]:
        metrics = {"accuracy": self._accuracy.get_metric(reset)}
        if self._span_f1 is not None:
            of_spans = self._span_f1.get_metric(reset)
            metrics.update({name: value for name, value in of_spans.items() if "overall" in name})
        return metrics

    def _update_metrics(
        self, predicted: List[List[int]], tags: torch.Tensor, mask: torch.BoolTensor
    ) -> None:
        """Update the metrics, which expect a score for every tag, with one-hot scores."""
        scores = torch.zeros(*tags.shape, self.vocab.get_vocab_size(self.label_namespace))
        for number, tag_indices in enumerate(predicted):
            scores[number, range(len(tag_indices)), tag_indices] = 1
        scores = scores.to(tags.device)
        self._accuracy(scores, tags, mask)
        if self._span_f1 is not None:
            self._span_f1(scores, tags, mask)

    def _name_of(self, number: int) -> str:
        return self.vocab.get_token_from_index(number, self.label_namespace)

    def _number_of(self, name: str) -> int:
        return self.vocab.get_token_index(name, self.label_namespace)


class _Crf:
    """A fitted tagger of python-crfsuite, from the content of its model file."""

    def __init__(self, model: bytes, num_weights: int) -> None:
        import pycrfsuite

        self.model = model  # keep a reference: the tagger reads this memory
        self.num_weights = num_weights
        self._tagger = pycrfsuite.Tagger()
        self._tagger.open_inmemory(model)
        self._labels = set(self._tagger.labels())

    def tags(self, words: Sequence[str]) -> List[str]:
        """Return the most probable tags."""
        return self._tagger.tag(features_of(words))

    def probability(self, tags: Sequence[str]) -> float:
        """Return the probability of tags, given the words of the last call of `tags`."""
        return self._tagger.probability(tags) if self._labels.issuperset(tags) else 0.0


def _fitted(
    sentences: Sequence[Sequence[str]], tags: Sequence[List[str]], settings: Dict[str, Any]
) -> _Crf:
    import pycrfsuite

    trainer = pycrfsuite.Trainer(algorithm="lbfgs", params=settings, verbose=False)
    for words, gold_tags in zip(sentences, tags):
        trainer.append(features_of(words), gold_tags)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model")
        trainer.train(path)
        with open(path, "rb") as file:
            return _Crf(file.read(), trainer.logparser.last_iteration["active_features"])
