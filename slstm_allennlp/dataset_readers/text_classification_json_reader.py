import json
from typing import Any, Dict, Iterator, Optional, Tuple, Union

from allennlp.data import DatasetReader, Instance
from allennlp.data.dataset_readers import TextClassificationJsonReader as StockReader

from slstm_allennlp.dataset_readers.lines import Line, all_or_none, found, read_lines


@DatasetReader.register("text_classification_json", exist_ok=True)
class TextClassificationJsonReader(StockReader):
    """
    Read texts and their classes, one JSON object per line: `{"text": "raw text", "label": "a class"}`. A
    label is a string, an integer or a Boolean. Either all lines of a file have a label or none has. A
    file without labels can only be used for prediction, and the log warns about it.

    For a valid file, the instances are those of AllenNLP's reader, which accepts empty files, texts
    without words and labels that are lists, and does not report the line of an error. `CorpusError` as
    in `CorpusReader`. With `skip_label_indexing`, labels must be integers from 0 on.

    Parameters as in AllenNLP's. The default tokenizer is a spaCy model, which is downloaded if it is not
    installed; `{"type": "spacy_blank"}` needs no model.
    """

    def _read(self, file_path: str) -> Iterator[Instance]:
        path = str(file_path)
        rows = all_or_none(path, self._label_key, map(self._row, read_lines(path)))
        for text, label in self.shard_iterable(rows):
            yield self.text_to_instance(text, label)

    def as_input(self, json_dict: Dict[str, Any]) -> Dict[str, Any]:
        """Return a JSON object of training data as input of the predictors. Other keys are left out."""
        if self._text_key not in json_dict:
            return json_dict
        keys = {"text": self._text_key, "label": self._label_key}
        return {name: json_dict[key] for name, key in keys.items() if key in json_dict}

    def text_to_instance(  # type: ignore[override]
        self, text: str, label: Union[str, int, None] = None
    ) -> Instance:
        """Do the same as AllenNLP's method, with the label as a number where labels are not indexed."""
        is_number = label is not None and self._skip_label_indexing
        return super().text_to_instance(text, int(label) if is_number else label)  # type: ignore[arg-type]

    def line_with(self, path: str, label: str) -> Line:
        """Return the first line of a file that has the label."""
        return next(line for line, _, _, found in map(self._row, read_lines(path)) if found == label)

    def _row(self, line: Line) -> Tuple[Line, str, str, Optional[str]]:
        expected = f"expected {json.dumps({self._text_key: 'raw text', self._label_key: 'a class'})}"
        example = line.json_object(expected)
        text = line.text_of(example, self._text_key, self._text_key, self._tokenizer, expected)
        if self._skip_label_indexing:
            expected = "expected a number from 0 on, since skip_label_indexing is true"
        label = line.label_of(example, self._label_key, expected)
        what = found(example, self._label_key)
        if self._skip_label_indexing and label is not None and not label.isdecimal():
            raise line.error(f"{what}, {expected}")
        return line, what, text, label
