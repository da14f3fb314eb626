import importlib.util
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

from slstm_allennlp.models.fitted_model import FittedModel, words_in
from slstm_allennlp.models.tagging_features import features_of

# The least probability, also of a tag that training has not seen: so a loss is a number.
_LEAST = sys.float_info.min


@Model.register("linear_tagger")
class LinearTagger(FittedModel):
    """
    Tags words by a conditional random field over the usual features, python-crfsuite's: the words and
    their affixes, their shape, two neighbours on each side. It reads what the readers of `crf_tagger`
    give, `tokens` and `tags`, with the token indexer `utf8`. It is trained by the trainer `fit`.
    Training is deterministic. Its metrics are `accuracy` and, for spans, `precision-overall`,
    `recall-overall` and `f1-measure-overall`.

    Registered as a `Model` with name "linear_tagger".

    # Parameters

    vocab : `Vocabulary`
    label_encoding : `str`, optional (default = `None`)
        BIO, IOB1, BIOUL or BMES, for tags that are spans.
    calculate_span_f1 : `bool`, optional (default = `None`)
        None is for: if there is a `label_encoding`.
    c1, c2 : `float`, optional (default = `0.1`, `0.01`)
        Of the L1 and of the L2 regularisation.
    max_iterations : `int`, optional (default = `100`)
        Of L-BFGS.
    label_namespace : `str`, optional (default = `"labels"`)

    # Errors

    `ConfigurationError` without python-crfsuite, for `calculate_span_f1` without a `label_encoding`,
    for settings that cannot be, and for instances without tags.
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
        expect_crfsuite()
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
        # The predictor `sentence_tagger` looks at both.
        self.label_encoding = label_encoding
        self.label_namespace = label_namespace
        self._settings = {
            "c1": c1,
            "c2": c2,
            "max_iterations": max_iterations,
            "feature.possible_transitions": True,
        }
        self._accuracy = CategoricalAccuracy()
        has_spans = label_encoding is not None and calculate_span_f1 is not False
        self._span_f1 = (
            SpanBasedF1Measure(vocab, label_namespace, label_encoding=label_encoding)
            if has_spans
            else None
        )
        self._crf: Optional[_Crf] = None

    def fit(
        self, train: Sequence[Instance], validation: Optional[Sequence[Instance]]
    ) -> Dict[str, float]:
        for instance in train:
            if "tags" not in instance.fields:
                raise ConfigurationError("an instance to be fitted to has no tags, expected some")
        self._crf = _fitted(
            [[str(token.text) for token in instance["tokens"]] for instance in train],  # type: ignore[attr-defined]
            [list(map(str, instance["tags"].labels)) for instance in train],  # type: ignore[attr-defined]
            self._settings,
        )
        return {}

    @property
    def is_fitted(self) -> bool:
        return self._crf is not None

    @property
    def num_weights(self) -> int:
        if self._crf is None:
            raise self.not_fitted()
        return self._crf.num_weights

    def get_extra_state(self) -> Dict[str, Any]:
        if self._crf is None:
            return {}
        model = torch.frombuffer(bytearray(self._crf.model), dtype=torch.uint8)
        return {"model": model, "num_weights": self._crf.num_weights}

    def set_extra_state(self, state: Dict[str, Any]) -> None:
        if state:
            self._crf = _Crf(state["model"].cpu().numpy().tobytes(), state["num_weights"])

    def forward(  # type: ignore[override]
        self,
        tokens: TextFieldTensors,
        tags: Optional[torch.LongTensor] = None,
        metadata: Optional[List[Dict[str, Any]]] = None,
    ) -> Dict[str, Any]:
        """
        # Returns

        `Dict[str, Any]`
            `tags`, for each sentence the numbers of its tags, and `mask`; with gold `tags` also `loss`,
            the sum over the batch of minus the logarithm of their probability, as `crf_tagger` has it.
        """
        if self._crf is None:
            raise self.not_fitted()
        sentences, mask = words_in(tokens), get_text_field_mask(tokens)
        predicted, losses = [], []
        for number, words in enumerate(sentences):
            predicted.append(list(map(self._number_of, self._crf.tags(words))))
            if tags is not None:
                gold = map(self._name_of, tags[number, : len(words)].tolist())
                losses.append(-math.log(max(self._crf.probability(list(gold)), _LEAST)))
        if tags is None:
            return {"tags": predicted, "mask": mask}
        self._count(predicted, tags, mask)
        loss = torch.tensor(sum(losses), dtype=torch.get_default_dtype(), device=mask.device)
        return {"tags": predicted, "mask": mask, "loss": loss}

    def make_output_human_readable(self, output_dict: Dict[str, Any]) -> Dict[str, Any]:
        """Gives `tags` by their names."""
        output_dict["tags"] = [list(map(self._name_of, tags)) for tags in output_dict["tags"]]
        return output_dict

    def get_metrics(self, reset: bool = False) -> Dict[str, float]:
        metrics = {"accuracy": self._accuracy.get_metric(reset)}
        if self._span_f1 is not None:
            of_spans = self._span_f1.get_metric(reset)
            metrics.update({name: value for name, value in of_spans.items() if "overall" in name})
        return metrics

    def _count(self, predicted: List[List[int]], tags: torch.Tensor, mask: torch.BoolTensor) -> None:
        """For the metrics, which take scores of all tags."""
        scores = torch.zeros(*tags.shape, self.vocab.get_vocab_size(self.label_namespace))
        for number, of_sentence in enumerate(predicted):
            scores[number, range(len(of_sentence)), of_sentence] = 1
        scores = scores.to(tags.device)
        self._accuracy(scores, tags, mask)
        if self._span_f1 is not None:
            self._span_f1(scores, tags, mask)

    def _name_of(self, number: int) -> str:
        return self.vocab.get_token_from_index(number, self.label_namespace)

    def _number_of(self, name: str) -> int:
        return self.vocab.get_token_index(name, self.label_namespace)


class _Crf:
    """
    python-crfsuite's tagger.

    # Parameters

    model : `bytes`
        The file that CRFsuite wrote.
    num_weights : `int`
    """

    def __init__(self, model: bytes, num_weights: int) -> None:
        import pycrfsuite

        self.model = model  # kept, since the tagger reads on in this memory
        self.num_weights = num_weights
        self._tagger = pycrfsuite.Tagger()
        self._tagger.open_inmemory(model)
        self._labels = set(self._tagger.labels())

    def tags(self, words: Sequence[str]) -> List[str]:
        """The best ones."""
        return self._tagger.tag(features_of(words))

    def probability(self, tags: Sequence[str]) -> float:
        """That of these tags for the words that were last given to `tags`."""
        return self._tagger.probability(tags) if self._labels.issuperset(tags) else 0.0


def _fitted(
    sentences: Sequence[Sequence[str]], tags: Sequence[List[str]], settings: Dict[str, Any]
) -> _Crf:
    import pycrfsuite

    trainer = pycrfsuite.Trainer(algorithm="lbfgs", params=settings, verbose=False)
    for words, of_words in zip(sentences, tags):
        trainer.append(features_of(words), of_words)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model")
        trainer.train(path)
        with open(path, "rb") as file:
            return _Crf(file.read(), trainer.logparser.last_iteration["active_features"])


def expect_crfsuite() -> None:
    """
    # Errors

    `ConfigurationError` if python-crfsuite is not installed.
    """
    if importlib.util.find_spec("pycrfsuite") is None:
        raise ConfigurationError(
            "linear_tagger: python-crfsuite is not installed, expected it by "
            "pip install python-crfsuite==0.9.12"
        )
