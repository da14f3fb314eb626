from typing import Dict, Iterator, Optional

from allennlp.data import DatasetReader, Instance
from allennlp_models.pair_classification import QuoraParaphraseDatasetReader

from slstm_allennlp.dataset_readers.corpus_reader import set_indexers
from slstm_allennlp.dataset_readers.lines import Line, number_of_columns, read_lines

_LABELS = ("0", "1")
_EXPECTED = (
    "0 or 1, a sentence, another one and an id, with tabs between and no header line, the form of "
    "Wang et al. (GLUE's and Kaggle's files have other columns)"
)


@DatasetReader.register("quora_paraphrase", exist_ok=True)
class QuoraParaphraseReader(QuoraParaphraseDatasetReader):
    """
    Read the Quora question pairs in the format of Wang, Hamza and Florian, and other paraphrases in this
    format: one pair per line, `label TAB sentence TAB sentence TAB id`. Label 1 means paraphrase.
    Quotation marks are ordinary characters.

    For a valid file, the instances are those of AllenNLP's reader, which skips rows with another number
    of columns, lets a quotation mark hide tabs and line ends, and fails in a data loader's workers.
    `CorpusError` as in `CorpusReader`. Parameters as in AllenNLP's.
    """

    def _read(self, file_path: str) -> Iterator[Instance]:
        return (self.text_to_instance(**pair) for pair in self.examples(str(file_path)))

    def examples(self, path: str) -> Iterator[Dict[str, str]]:
        """Yield the pairs of a file as input of the plugin's predictors."""
        return map(self._pair, read_lines(path))

    def _pair(self, line: Line) -> Dict[str, str]:
        columns = line.text.split("\t")
        if len(columns) != 4:
            raise line.error(f"{number_of_columns(len(columns))}, expected 4: {_EXPECTED}")
        label, premise, hypothesis, _ = columns
        if label.strip() not in _LABELS:
            raise line.error(f"the label is {label!r}, expected {_EXPECTED}")
        line.expect_text("first sentence", premise, self._tokenizer)
        line.expect_text("second sentence", hypothesis, self._tokenizer)
        return {"premise": premise, "hypothesis": hypothesis, "label": label.strip()}

    def text_to_instance(  # type: ignore[override]
        self, premise: str, hypothesis: str, label: Optional[str] = None
    ) -> Instance:
        """Do the same as AllenNLP's, but without token indexers, as data loader workers require."""
        instance = super().text_to_instance(premise, hypothesis, label)
        set_indexers(instance, None)
        return instance

    def apply_token_indexers(self, instance: Instance) -> None:
        set_indexers(instance, self._token_indexers)
