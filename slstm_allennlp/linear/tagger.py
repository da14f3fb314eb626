import math
import os
import sys
import tempfile
from typing import Any, Dict, List, NamedTuple, Optional, Set

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import TextFieldTensors, Vocabulary
from allennlp.models import Model
from allennlp.nn.util import get_text_field_mask
from allennlp.training.metrics import CategoricalAccuracy, SpanBasedF1Measure

from slstm_allennlp.common.extras import needs
from slstm_allennlp.linear.fitted_model import FittedModel, Instances, texts_of, words_in
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
    `f1-measure-overall`. `ConfigurationError` without python-crfsuite, and for instances without tags.

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

    def fit(self, train: Instances, validation: Optional[Instances]) -> Dict[str, float]:
        import pycrfsuite

        found: Set[str] = set()
        trainer = pycrfsuite.Trainer(algorithm="lbfgs", params=self._settings, verbose=False)
        (texts,) = texts_of(train, "tokens")
        for words, instance in zip(texts, train):
            if "tags" not in instance.fields:
                raise ConfigurationError("an instance of the train set has no tags, expected some")
            tags = instance["tags"].labels  # type: ignore[attr-defined]
            trainer.append(features_of(words), list(map(str, tags)))
            found.update(map(str, tags))
        if len(found) < 2:
            raise ConfigurationError(
                f"the {len(train)} training sentences have the tag {''.join(found) or 'none'}, "
                "expected two or more"
            )
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model")
            trainer.train(path)
            with open(path, "rb") as file:
                model = file.read()
        last = trainer.logparser.last_iteration  # None if the first weights, all 0, are the best ones
        self._fitted = _opened(model, last["active_features"] if last else 0)
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
            self._fitted = _opened(state["model"].cpu().numpy().tobytes(), state["num_weights"])

    def forward(  # type: ignore[override]
        self,
        tokens: TextFieldTensors,
        tags: Optional[torch.LongTensor] = None,
        metadata: Optional[List[Dict[str, Any]]] = None,
    ) -> Dict[str, Any]:
        """
        Return `tags`, the predicted tag indices of each sentence, and `mask`. With gold `tags` also
        `loss`, the negative log-likelihood, summed over the batch as in `crf_tagger`.
        """
        tagger, mask = self.fitted.tagger, get_text_field_mask(tokens)
        known_tags = set(tagger.labels())
        predicted, losses = [], []
        # One-hot, because the metrics expect a score for every tag.
        scores = torch.zeros(*mask.shape, self.vocab.get_vocab_size(self.label_namespace))
        for number, words in enumerate(words_in(tokens)):
            names = tagger.tag(features_of(words))
            indices = [self.vocab.get_token_index(tag, self.label_namespace) for tag in names]
            predicted.append(indices)
            scores[number, range(len(indices)), indices] = 1
            if tags is not None:
                gold = [self._name_of(tag) for tag in tags[number, : len(words)].tolist()]
                probability = tagger.probability(gold) if known_tags.issuperset(gold) else 0
                losses.append(-math.log(max(probability, _MIN_PROBABILITY)))
        output = {"tags": predicted, "mask": mask}
        if tags is not None:
            loss = torch.tensor(sum(losses), dtype=torch.get_default_dtype())
            output["loss"], scores = loss.to(mask.device), scores.to(mask.device)
            self._accuracy(scores, tags, mask)
            if self._span_f1 is not None:
                self._span_f1(scores, tags, mask)
        return output

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

    def _name_of(self, number: int) -> str:
        return self.vocab.get_token_from_index(number, self.label_namespace)


class _Crf(NamedTuple):
    tagger: Any  # of python-crfsuite
    model: bytes  # the content of its file; the tagger reads this memory
    num_weights: int


def _opened(model: bytes, num_weights: int) -> _Crf:
    import pycrfsuite

    tagger = pycrfsuite.Tagger()
    tagger.open_inmemory(model)
    return _Crf(tagger, model, num_weights)
