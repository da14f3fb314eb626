import logging
from typing import Any, Dict, Iterator

from allennlp.data import DatasetReader, Instance
from allennlp_models.classification import StanfordSentimentTreeBankDatasetReader
from nltk.tree import Tree

from slstm_allennlp.common.errors import CorpusError
from slstm_allennlp.dataset_readers.lines import Line, read_lines

logger = logging.getLogger(__name__)

_LABELS = ("0", "1", "2", "3", "4")
_WORD = "[^ \t()]+"
_EXPECTED = "expected one tree with a label from 0 to 4 on every node, such as (3 (4 good) (2 film))"


@DatasetReader.register("sst_tokens", exist_ok=True)
class StanfordSentimentTreebankReader(StanfordSentimentTreeBankDatasetReader):
    """
    Read the trees of the Stanford Sentiment Treebank, one per line, with a label from 0 (very negative)
    to 4 (very positive) on every node. Blank lines are skipped. With two classes, neutral texts (2) are
    skipped, and the log gives their number.

    For a valid file, the instances are those of AllenNLP's reader, including escapes in words (`\\/`,
    `\\*`). AllenNLP's reader accepts any label on a node, and does not report what it skips.
    `CorpusError` as in `CorpusReader`, and for a file of neutral texts only with two classes. Parameters
    as in AllenNLP's.
    """

    def examples(self, path: str) -> Iterator[Dict[str, Any]]:
        """Yield the texts of a file as input of the plugin's predictors: `words` and `label`."""
        for instance in self._read(path):
            fields: Any = instance.fields
            words = [token.text for token in fields["tokens"].tokens]
            yield {"words": words, "label": fields["label"].label}

    def _read(self, file_path: str) -> Iterator[Instance]:
        """Yield the instances of phrases, without neutral ones if there are two classes."""
        path = str(file_path)
        total = neutral = 0
        for line in read_lines(path):
            if not line.text.strip():
                continue
            tree = _tree(line)
            for phrase in tree.subtrees() if self._use_subtrees else [tree]:
                total += 1
                # As in AllenNLP's reader, split a word such as 9 1\/2 at its no-break space.
                words = " ".join(phrase.leaves()).split()
                instance = self.text_to_instance(words, phrase.label())
                if instance is None:
                    neutral += 1
                    continue
                if not instance["tokens"].tokens:  # type: ignore[attr-defined]
                    raise line.error(f"{' '.join(phrase.leaves())!r} has no tokens, expected words")
                yield instance
        if total == 0:
            raise CorpusError(f"{path}: no tree in the file, {_EXPECTED}")
        texts = "phrases" if self._use_subtrees else "sentences"
        if total == neutral:
            raise CorpusError(
                f"{path}: no {texts} but {neutral} neutral ones, expected others for {self._granularity}"
            )
        if neutral:
            logger.info(
                "%s: %d of %d %s are neutral and were left out for 2-class", path, neutral, total, texts
            )


def _tree(line: Line) -> Tree:
    try:
        tree = Tree.fromstring(line.text, node_pattern=_WORD, leaf_pattern=_WORD)
    except ValueError:
        raise line.error(f"not one tree in brackets, {_EXPECTED}") from None
    for node in tree.subtrees():
        if node.label() not in _LABELS:
            raise line.error(f"a node has the label {node.label()!r}, {_EXPECTED}")
        if len(node) == 0:
            raise line.error(f"a node with the label {node.label()} has no word, {_EXPECTED}")
        words = [child for child in node if isinstance(child, str)]
        if words and len(node) > 1:
            raise line.error(f"the word {words[-1]!r} has no node of its own, {_EXPECTED}")
    return tree
