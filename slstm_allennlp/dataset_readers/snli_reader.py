import logging
from typing import Iterator, List

from allennlp.data import DatasetReader, Instance
from allennlp_models.pair_classification import SnliReader as StockSnliReader

from slstm_allennlp.common.errors import CorpusError
from slstm_allennlp.dataset_readers.lines import found, read_lines

logger = logging.getLogger(__name__)

_LABELS = ("entailment", "neutral", "contradiction")
_NO_LABEL = "-"
_EXPECTED = 'expected {"gold_label": "neutral", "sentence1": "a premise", "sentence2": "a hypothesis"}'


@DatasetReader.register("snli", exist_ok=True)
class SnliReader(StockSnliReader):
    """
    Read SNLI, MultiNLI and corpora in the same format, such as SICK: one JSON object per line with
    `gold_label`, `sentence1` (the premise) and `sentence2` (the hypothesis). Pairs with the label `-`,
    on which the annotators did not agree, are skipped, and the log gives their number.

    For a valid file, the instances are those of AllenNLP's reader, which also accepts files without
    labels, and does not report what it skips. `CorpusError` as in `CorpusReader`, for a label other than
    `entailment`, `neutral`, `contradiction` and `-`, and for a file without a labelled pair. Parameters
    as in AllenNLP's.
    """

    def _read(self, file_path: str) -> Iterator[Instance]:
        for pair in self.shard_iterable(self._labelled_pairs(str(file_path))):
            yield self.text_to_instance(*pair)

    def _labelled_pairs(self, path: str) -> Iterator[List[str]]:
        """Yield the premise, the hypothesis and the label of each pair."""
        total = unlabelled = 0
        for line in read_lines(path):
            total += 1
            example = line.json_object(_EXPECTED)
            label = example.get("gold_label")
            label = label.strip() if isinstance(label, str) else label
            if label == _NO_LABEL:
                unlabelled += 1
                continue
            if label not in _LABELS:
                raise line.error(
                    f'{found(example, "gold_label")}, expected {", ".join(_LABELS)} or "-" (pairs '
                    "without a label are for `allennlp predict`)"
                )
            pair = [
                line.text_of(example, key, f"{what} ({key})", self._tokenizer, _EXPECTED)
                for key, what in (("sentence1", "premise"), ("sentence2", "hypothesis"))
            ]
            yield [*pair, label]
        if unlabelled == total:
            raise CorpusError(
                f'{path}: none of {total} pairs has a gold label, all have "-"; {_EXPECTED}'
            )
        if unlabelled:
            logger.info(
                '%s: %d of %d pairs have no gold label ("-") and were left out', path, unlabelled, total
            )
