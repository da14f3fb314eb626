import csv
import logging
from typing import Iterator, List, Optional, Tuple

from allennlp.data import DatasetReader, Instance
from allennlp_models.generation import Seq2SeqDatasetReader

from slstm_allennlp.common.errors import CorpusError
from slstm_allennlp.dataset_readers.lines import Line, number_of_columns, read_lines

logger = logging.getLogger(__name__)


@DatasetReader.register("seq2seq", exist_ok=True)
class Seq2SeqReader(Seq2SeqDatasetReader):
    """
    Read pairs of texts, one pair per line: `source TAB target`.

    By default, a text may be in quotation marks, which are removed, as in CSV. In a file that is not
    CSV, a quotation mark at the start of a sentence would hide what follows, even many lines. This is an
    error here. `"quoting": 3` reads quotation marks as ordinary characters.

    For a valid file, the instances are those of AllenNLP's reader, which silently skips pairs with an
    empty side. `CorpusError` as in `CorpusReader`. Parameters as in AllenNLP's.
    """

    def _read(self, file_path: str) -> Iterator[Instance]:
        self._source_max_exceeded = self._target_max_exceeded = 0
        for pair in self.shard_iterable(self._translations(str(file_path))):
            yield self.text_to_instance(*pair)
        for side, count, limit in (
            ("source", self._source_max_exceeded, self._source_max_tokens),
            ("target", self._target_max_exceeded, self._target_max_tokens),
        ):
            if count:
                logger.info("%d %ss of more than %d tokens were truncated", count, side, limit)

    def text_to_instance(  # type: ignore[override]
        self, source_string: str, target_string: Optional[str] = None
    ) -> Instance:
        """Do the same as AllenNLP's method, but raise a `CorpusError` for a source without text."""
        if not isinstance(source_string, str) or not source_string.strip():
            raise CorpusError(f"the source is {source_string!r}, expected text")
        return super().text_to_instance(source_string, target_string)

    def _translations(self, path: str) -> Iterator[Tuple[str, str]]:
        """Yield each source with its target."""
        for line in read_lines(path):
            row = self._row(line)
            if len(row) != 2:
                raise line.error(
                    f"{number_of_columns(len(row))}, expected 2, a source and a target with "
                    f"{self._delimiter!r} between{self._quoting_hint(line)}"
                )
            source, target = row
            line.expect_text("source", source, self._source_tokenizer)
            line.expect_text("target", target, self._target_tokenizer)
            yield source, target

    def _row(self, line: Line) -> List[str]:
        # One line at a time, so that no quotation mark hides the next lines. `strict` makes text after a
        # closing quotation mark an error. Otherwise the mark would be lost.
        reader = csv.reader([line.text], delimiter=self._delimiter, quoting=self.quoting, strict=True)
        try:
            return next(reader)
        except (csv.Error, ValueError) as error:
            hint = self._quoting_hint(line)
            what = "a text begins with a quotation mark and does not end with one" if hint else error
            raise line.error(f"{what}, expected a source and a target{hint}") from None

    def _quoting_hint(self, line: Line) -> str:
        may_hide = self.quoting != csv.QUOTE_NONE and '"' in line.text
        return ' ("quoting": 3 takes quotation marks as they are)' if may_hide else ""
