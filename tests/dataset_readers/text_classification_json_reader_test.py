import json

import pytest
from allennlp.common import Params
from allennlp.data import DatasetReader, Vocabulary
from allennlp.data.data_loaders import MultiProcessDataLoader
from allennlp.data.dataset_readers import TextClassificationJsonReader as StockReader
from allennlp.data.tokenizers import WhitespaceTokenizer

from slstm_allennlp.dataset_readers import TextClassificationJsonReader
from tests.dataset_readers.common import NoMarks, contents

LINES = [
    {"text": "The bridge is old .", "label": "plain"},
    {"text": "Who painted it ?", "label": "question", "id": 7},
    {"text": "The letter came late .", "label": 3},
    {"text": "Did it ?", "label": True},
]
EXPECTED = 'expected {"text": "raw text", "label": "a class"}'


@pytest.fixture
def write(tmp_path):
    """Write lines (text, or objects as JSON), and return the path."""

    def run(lines, encoding="utf-8"):
        texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
        (tmp_path / "texts.jsonl").write_text("\n".join(texts) + "\n", encoding=encoding)
        return tmp_path / "texts.jsonl"

    return run


def read(path, reader=TextClassificationJsonReader, **options):
    options.setdefault("tokenizer", WhitespaceTokenizer())
    return contents(reader(**options).read(path))


def test_configs_get_it():
    reader = DatasetReader.from_params(
        Params({"type": "text_classification_json", "tokenizer": "whitespace", "text_key": "body"})
    )
    assert type(reader) is TextClassificationJsonReader and isinstance(reader, StockReader)


@pytest.mark.parametrize("options", [{}, {"max_sequence_length": 2}, {"max_instances": 3}])
def test_reads_as_the_stock_reader_does(write, options):
    path = write(LINES)
    ours = read(path, **options)
    assert ours == read(path, StockReader, **options)
    assert len(ours) == options.get("max_instances", 4)
    assert [instance["label"] for instance in ours] == ["plain", "question", "3", "True"][: len(ours)]


def test_keys_and_labels_that_are_numbers(write):
    path = write([{"body": "a b", "class": "1"}, {"body": "c", "class": 0}])
    options = {"text_key": "body", "label_key": "class", "skip_label_indexing": True}
    ours = read(path, **options)
    assert ours == read(path, StockReader, **options)
    assert [instance["label"] for instance in ours] == [1, 0]


def test_a_byte_order_mark_and_windows_line_ends(write):
    path = write([json.dumps(line) + "\r" for line in LINES], encoding="utf-8-sig")
    assert read(path) == read(write(LINES), StockReader)


def test_no_labels_at_all(write, caplog):
    path = write([{"text": "a b"}, {"text": "c", "label": None}])
    assert [set(instance) for instance in read(path)] == [{"tokens"}, {"tokens"}]
    assert f"{path}: no text has a label, so the file cannot be used" in caplog.text
    caplog.clear()
    read(write(LINES))
    assert "no text has a label" not in caplog.text


def test_worker_processes_share_a_file(write):
    reader = TextClassificationJsonReader(tokenizer=WhitespaceTokenizer())
    loader = MultiProcessDataLoader(reader, str(write(LINES)), batch_size=1, num_workers=2)
    loader.index_with(Vocabulary.from_instances(reader.read(write(LINES))))
    assert len(list(loader.iter_instances())) == len(LINES)


def test_labels_have_no_white_space_around_them(write):
    lines = [{"text": "a", "label": label} for label in ("x ", "\tx", "x", "x\u00a0", " 1", 1)]
    instances = TextClassificationJsonReader(tokenizer=WhitespaceTokenizer()).read(write(lines))
    assert [instance["label"].label for instance in instances] == ["x"] * 4 + ["1"] * 2


@pytest.mark.parametrize(
    "line, message",
    [
        ("", "not JSON (Expecting value at character 1), expected {"),
        ('{"text": ', "not JSON (Expecting value at character 10), expected {"),
        (r'{"text": "good \uD83D", "label": "x"}', "not JSON (half of a surrogate pair, as of an emoji"),
        ('{"text": ' + 100_000 * "[", "not JSON (maximum recursion depth exceeded"),
        ('{"text": ' + 5_000 * "1" + "}", "not JSON (Exceeds the limit"),
        ('["a"]', "not a JSON object, expected {"),
        ({"label": "a"}, f"text is missing, {EXPECTED}"),
        ({"text": 3, "label": "a"}, f"text is 3, {EXPECTED}"),
        ({"text": "", "label": "a"}, "the text is empty, expected text"),
        ({"text": " \t", "label": "a"}, "the text is empty, expected text"),
        ({"text": "a", "label": ["x"]}, f'label is ["x"], {EXPECTED}'),
        ({"text": "a", "label": ""}, f'label is "", {EXPECTED}'),
        ({"text": "a", "label": 0.5}, f"label is 0.5, {EXPECTED}"),
        (
            {"text": "a"},
            "label is missing, and the lines before have labels, expected labels on all lines or on",
        ),
        ({"text": "a", "label": None}, "label is null, and the lines before have labels, expected"),
    ],
)
def test_bad_lines_are_named(write, line, message):
    with pytest.raises(ValueError) as error:
        read(write([LINES[0], line, LINES[1]]))
    assert f"texts.jsonl, line 2: {message}" in str(error.value)


def test_a_label_behind_texts_without(write):
    with pytest.raises(ValueError, match='line 2: label is "a", and the lines before have none'):
        read(write([{"text": "a"}, {"text": "b", "label": "a"}]))


def test_a_text_of_which_the_tokenizer_leaves_nothing(write):
    with pytest.raises(ValueError, match=r"line 1: the text is '\?!', which has no tokens"):
        read(write([{"text": "?!", "label": "a"}]), tokenizer=NoMarks())


@pytest.mark.parametrize("label", ["x", -1, 1.0, [1], True])
def test_labels_that_are_no_numbers(write, label):
    with pytest.raises(
        ValueError, match=r"line 1: label is .*, expected a number from 0 on, since skip_"
    ):
        read(write([{"text": "a", "label": label}]), skip_label_indexing=True)


def test_files_that_cannot_be_read(tmp_path):
    path = tmp_path / "texts.jsonl"
    with pytest.raises(ValueError, match=r"texts\.jsonl: cannot be read \(.*\), expected a text file"):
        read(path)
    path.write_bytes(b"")
    with pytest.raises(ValueError, match=r"texts\.jsonl: the file is empty"):
        read(path)
    path.write_bytes(b'{"text": "caf\xe9"}\n')
    with pytest.raises(ValueError, match=r"line 1: byte 0xe9 at position 14 is not UTF-8"):
        read(path)
