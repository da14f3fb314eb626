import hashlib
import logging
from collections import defaultdict
from typing import Any, Dict, Iterator, List, Optional, Tuple

from allennlp.common.checks import ConfigurationError
from allennlp.data import DatasetReader, Tokenizer

from slstm_allennlp.common.errors import CorpusError
from slstm_allennlp.dataset_readers.corpus_reader import LabelledTextReader
from slstm_allennlp.dataset_readers.lines import Line
from slstm_allennlp.dataset_readers.parts import PARTS, CorpusPart
from slstm_allennlp.tokenizers import SpacyBlankTokenizer

logger = logging.getLogger(__name__)

_FILES = {"positive": "rt-polarity.pos", "negative": "rt-polarity.neg"}
_Sentence = Tuple[Line, str]  # with its label


@DatasetReader.register("movie_review")
class MovieReviewReader(LabelledTextReader):
    """
    Read the sentence polarity dataset of Pang and Lee, "Seeing Stars" (ACL 2005), in its original
    format: `rt-polarity.pos` and `rt-polarity.neg`, one sentence per line. The path names the folder and
    one part: `FOLDER#train`, `FOLDER#dev` or `FOLDER#test`.

    The corpus has no official split. The reader divides it at random into `folds` folds of equal size:
    `fold` is test, the next one is dev, and the others are train. Ten folds give the 80/10/10 split of
    the S-LSTM paper, and cross-validation if each is `fold` in turn. The random order is that of the
    SHA-256 digests of `seed` with each sentence's letters and digits, so the split is the same on every
    machine and Python version.

    The labels are `positive` and `negative`.

    # Parameters, besides those of `LabelledTextReader`

    seed : `int`, optional (default = `0`)
        The random seed of the split.
    folds : `int`, optional (default = `10`)
        The number of folds, at least three.
    fold : `int`, optional (default = `0`)
        The test fold, from 0.
    duplicates_together : `bool`, optional (default = `True`)
        Whether sentences with the same letters and digits (ignoring case, spaces and punctuation) stay
        in one part, so that no test sentence is also a training sentence. The log gives their number:
        of the 10,662 lines of the corpus, no two are equal, and two pairs differ only in punctuation.
        If false, the order depends on `seed`, file and line.
    tokenizer : `Tokenizer`, optional
        (default = `{"type": "spacy_blank", "split_contractions": false, "split_hyphens": false}`)
        The tokenizer for raw text at prediction. The corpus does not split words such as `it's`.
    """

    def __init__(
        self,
        seed: int = 0,
        folds: int = 10,
        fold: int = 0,
        duplicates_together: bool = True,
        tokenizer: Optional[Tokenizer] = None,
        **kwargs: Any,
    ) -> None:
        tokenizer = tokenizer or SpacyBlankTokenizer(split_contractions=False, split_hyphens=False)
        super().__init__(tokenizer=tokenizer, **kwargs)
        if folds < 3:
            raise ConfigurationError(
                f"movie_review: folds is {folds}, expected at least 3: one to test, one to choose the "
                "best epoch by, and one to train on"
            )
        if not 0 <= fold < folds:
            raise ConfigurationError(
                f"movie_review: fold is {fold}, expected one from 0 to {folds - 1}, as there are {folds}"
            )
        self._seed = seed
        self._folds = folds
        self._fold = fold
        self._duplicates_together = duplicates_together

    def examples(self, path: str) -> Iterator[Dict[str, Any]]:
        corpus = CorpusPart.of(path, PARTS)
        sentences = [sentence for label in _FILES for sentence in self._sentences(corpus, label)]
        if len(sentences) < self._folds:
            raise CorpusError(
                f"{corpus.name}: {len(sentences)} sentences for {self._folds} folds, expected at "
                "least one for each"
            )
        for (line, label), fold in self._divide(corpus.name, sentences):
            distance = (fold - self._fold) % self._folds
            if corpus.part == {0: "test", 1: "dev"}.get(distance, "train"):
                yield {"words": line.words(), "label": label}

    def _sentences(self, corpus: CorpusPart, label: str) -> Iterator[_Sentence]:
        for line in corpus.lines(_FILES[label], self._encoding):
            if not line.text.strip():
                raise line.error("the line is empty, expected a sentence")
            yield line, label

    def _divide(self, name: str, sentences: List[_Sentence]) -> Iterator[Tuple[_Sentence, int]]:
        """Yield each sentence with its fold, in random order."""
        groups: Dict[str, List[_Sentence]] = defaultdict(list)
        for sentence in sentences:
            groups[self._identity(*sentence)].append(sentence)
        duplicates = sum(len(group) for group in groups.values() if len(group) > 1)
        if duplicates:
            logger.info(
                "%s: %d sentences are duplicates of another one and stay in the same part",
                name,
                duplicates,
            )
        placed = 0
        for identity in sorted(groups, key=self._digest):
            fold = placed * self._folds // len(sentences)
            for sentence in groups[identity]:
                yield sentence, fold
            placed += len(groups[identity])

    def _identity(self, line: Line, label: str) -> str:
        if not self._duplicates_together:
            return f"{_FILES[label]} {line.number}"
        letters = "".join(filter(str.isalnum, line.text.casefold()))
        return letters or line.text.strip()

    def _digest(self, identity: str) -> str:
        return hashlib.sha256(f"{self._seed} {identity}".encode()).hexdigest()
