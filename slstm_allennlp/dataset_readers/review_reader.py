import logging
from typing import Any, Dict, Iterator, Optional, Sequence, Union

from allennlp.common.checks import ConfigurationError
from allennlp.data import DatasetReader, Instance, Token, Tokenizer

from slstm_allennlp.common.errors import CorpusError
from slstm_allennlp.dataset_readers.corpus_reader import LabelledTextReader
from slstm_allennlp.dataset_readers.lines import Line
from slstm_allennlp.dataset_readers.parts import PARTS, CorpusPart
from slstm_allennlp.tokenizers import SpacyBlankTokenizer

logger = logging.getLogger(__name__)

_LABELS = {"0": "negative", "1": "positive"}


@DatasetReader.register("review")
class ReviewReader(LabelledTextReader):
    """
    Read the 16 review datasets of Liu, Qiu and Huang, "Adversarial Multi-task Learning for Text
    Classification" (ACL 2017), in their original format: a folder with `DATASET.task.train` and
    `DATASET.task.test` for each dataset, one review per line, `label TAB text`. The path names the
    folder and one part: `FOLDER#train`, `FOLDER#dev` or `FOLDER#test`. There is no dev file: dev is the
    end of the train file. A review without words is left out, and the log warns about it.

    # Parameters, besides those of `LabelledTextReader`

    dataset : `str`
        The dataset: `"apparel"`, `"baby"`, `"books"`, …, as in the file names.
    dev_size : `int`, optional (default = `200`)
        The number of reviews at the end of the train file that are dev.
    labels : `Dict[str, str]`, optional (default = `{"0": "negative", "1": "positive"}`)
        Maps the labels in the files to the labels of the instances.
    tokenizer : `Tokenizer`, optional (default = `{"type": "spacy_blank", "split_hyphens": false}`)
        The tokenizer for raw text at prediction. The datasets split words such as `it's`. `"MR"` does
        not, so its default has `"split_contractions": false`.
    """

    def __init__(
        self,
        dataset: str,
        dev_size: int = 200,
        labels: Optional[Dict[str, str]] = None,
        tokenizer: Optional[Tokenizer] = None,
        **kwargs: Any,
    ) -> None:
        split = dataset != "MR"
        tokenizer = tokenizer or SpacyBlankTokenizer(split_contractions=split, split_hyphens=False)
        super().__init__(tokenizer=tokenizer, **kwargs)
        if dev_size < 1:
            raise ConfigurationError(f"review: dev_size is {dev_size}, expected at least 1")
        self._dataset = dataset
        self._dev_size = dev_size
        self._labels = dict(_LABELS if labels is None else labels)

    def examples(self, path: str) -> Iterator[Dict[str, Any]]:
        corpus = CorpusPart.of(path, PARTS)
        file = f"{self._dataset}.task.{'test' if corpus.part == 'test' else 'train'}"
        datasets = sorted(found.name.split(".task.")[0] for found in corpus.folder.glob("*.task.train"))
        if self._dataset not in datasets:
            raise CorpusError(
                f"{corpus.name}: there is no dataset {self._dataset!r}, expected one of those in the "
                f"folder: {', '.join(datasets) or 'there are none'}"
            )
        lines = list(corpus.lines(file, self._encoding))
        if corpus.part != "test" and len(lines) <= self._dev_size:
            raise CorpusError(
                f"{corpus.name}/{file}: {len(lines)} reviews, expected more than "
                f"{self._dev_size}, as the last {self._dev_size} are dev"
            )
        part = {"train": slice(-self._dev_size), "dev": slice(-self._dev_size, None)}
        for line in lines[part.get(corpus.part, slice(None))]:
            example = self._example(line)
            if any(example["words"]):
                yield example
            else:  # one of sports_outdoors, as distributed
                logger.warning("%s", line.error("the text is empty, so this review is left out"))

    def _example(self, line: Line) -> Dict[str, Any]:
        label, tab, text = line.text.partition("\t")
        if not tab:
            raise line.error("there is no tab, expected a label, a tab and a text")
        if label.strip() not in self._labels:
            raise line.error(f"the label is {label!r}, expected one of {', '.join(self._labels)}")
        return {"words": line._replace(text=text).words(), "label": label.strip()}

    def text_to_instance(  # type: ignore[override]
        self, text: Union[str, Sequence[Union[str, Token]]], label: Optional[str] = None
    ) -> Instance:
        """Do the same as the base class's, with the instance's label for one of the files."""
        return super().text_to_instance(text, None if label is None else self._labels.get(label, label))
