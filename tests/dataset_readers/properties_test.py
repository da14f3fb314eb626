"""
Properties of every reader. Any bytes give instances or one error with file and line. Instances that are
written and read again are the same. What a reader reads, the predictors read alike: from the same file,
from JSON lines and from the standard input; and vectors have the same words.
"""

import csv
import io
import json
import re
import sys
from typing import Any, Callable, Dict, List, NamedTuple, Tuple

import pytest
import torch
from allennlp.common import Params
from allennlp.data import DatasetReader
from hypothesis import given
from hypothesis import strategies as st

import slstm_allennlp.dataset_readers
from slstm_allennlp.predictors import SentencePair, SentenceTagger, TextClassifier
from slstm_allennlp.predictors.examples import read_examples
from slstm_allennlp.vectors.files import _parse_block
from tests import properties  # noqa: F401  (sets the number of examples)
from tests.dataset_readers.common import example_of

Examples = List[Dict[str, Any]]
# Errors that no single line causes.
FILE_ERRORS = "|".join(
    [
        "the file is empty",
        "no (sentence|word|tree) in the file",
        r"no sentences but \d+ neutral ones",
        r"none of \d+ pairs has a gold label",
        r"\d+ sentences for \d+ folds",
        r"\d+ reviews, expected more than",
        r"has \d+ lines and .* has \d+",
        r"\d+ of \d+ words are _",
        "no text in the file",
    ]
)
BOM = b"\xef\xbb\xbf"
# Characters in words that some programs treat as a space, a line break or nothing.
UNUSUAL = (
    "\u00a0 \u0085 \x0b \x0c \x1c \u2028 \u200b \ufeff \x00 \r e\u0301 é 字 😀 \\ ' * # | - _ /".split(
        " "
    )
)
word = st.one_of(
    st.sampled_from("the film Cats 1\\/2 (dull) it's -DOCSTART- *x*".split()),
    st.lists(st.sampled_from([*UNUSUAL, *"abAB12"]), min_size=1, max_size=4).map("".join),
    st.text(min_size=1, max_size=4),
)
tag = st.sampled_from("NN . '' JJ|NN |NN _ O B-PER I-PER E-PER S-LOC I-LOC B- I".split())
label = st.sampled_from(["0", "1", "2", "entailment", "neutral", "-", "", 1, True, None, 0.5, ["1"]])
pieces = st.one_of(
    st.sampled_from(
        [b"\t", b" ", b"/", b"(", b")", b'"', b"{", b"}", b"1", b"-", b"[", b"]", b"=====", BOM]
    ),
    st.sampled_from(
        [b"\r", b"\x85", b"\xe9", b"\xc3", b"\xff", b"\x81", b"\x00", b"\\ud83d", b"NaN", b"#"]
    ),
    st.binary(max_size=4),
)


def encoded(line: str) -> bytes:
    return line.encode("utf-8", "surrogatepass")


def columns(line: List[str]) -> bytes:
    return encoded("\t".join(line))


def tree_of(words: List[str], root: str) -> str:
    return f"({root} " + " ".join(f"(2 {word})" for word in words) + ")"


def conllu_line(number: int, word: str, tag: str) -> List[str]:
    return [str(number), word, "_", tag, tag, "_", "_", "_", "_", "_"]


words = st.lists(word, min_size=1, max_size=4)
text = words.map(" ".join)
number = st.sampled_from([0, 1, 1, 1, 2, 3])


def in_json(**values: Any) -> Any:
    """Generate lines of JSON with these keys."""
    return st.fixed_dictionaries(values).map(
        lambda value: encoded(json.dumps(value, ensure_ascii=False))
    )


def tagged_lines(examples: Examples, line: Callable[[int, str, str], str]) -> bytes:
    return b"".join(
        "".join(
            line(k, w, t) + "\n" for k, (w, t) in enumerate(zip(example["tokens"], example["tags"]), 1)
        ).encode()
        + b"\n"
        for example in examples
    )


def lines_of(examples: Examples, line: Callable[[Dict[str, Any]], str]) -> bytes:
    return "".join(line(example) + "\n" for example in examples).encode()


def bracketed(example: Dict[str, Any]) -> str:
    """Write a paragraph in brackets, so that no sentence ends inside it."""
    tokens = (
        word.replace("/", "\\/") + "/" + tag for word, tag in zip(example["tokens"], example["tags"])
    )
    return "=====\n\n[ " + " ".join(tokens) + " ]"


def with_letters(example: Dict[str, Any], letters: Dict[int, int]) -> Dict[str, Any]:
    return {**example, "tags": [tag[0].translate(letters) + tag[1:] for tag in example["tags"]]}


def in_csv(example: Dict[str, Any]) -> str:
    file = io.StringIO()
    row = [" ".join(example["source_tokens"]), " ".join(example["target_tokens"])]
    csv.writer(file, delimiter="\t", quoting=csv.QUOTE_ALL, lineterminator="").writerow(row)
    return file.getvalue()


def table(examples: Examples, names: Dict[str, str]) -> bytes:
    """Write CSV with the columns of the fields that the examples have."""
    fields = [field for field in names if field in examples[0]]
    file = io.StringIO()
    csv.writer(file).writerow([names[field] for field in fields])
    for example in examples:
        values = (example[field] for field in fields)
        csv.writer(file).writerow([v if isinstance(v, str) else " ".join(v) for v in values])
    return file.getvalue().encode()


def examples(**values: Any) -> Any:
    """Generate the instances of a valid file."""
    return st.lists(st.fixed_dictionaries(values), min_size=2, max_size=4)


plain = st.lists(
    st.sampled_from("the film Cats it's 1.5 字 😀 x|y #1 a\u200bb ''".split()), min_size=1, max_size=4
)
TAGGED = st.lists(
    st.lists(
        st.tuples(
            st.sampled_from("the film Cats 1/2 x|y '' \u00a0 \u3000 a\u00a0b".split(" ")),
            st.sampled_from("NN . '' JJ".split()),
        ),
        min_size=1,
        max_size=4,
    ).map(lambda pairs: {"tokens": [w for w, _ in pairs], "tags": [t for _, t in pairs]}),
    min_size=1,
    max_size=3,
)
# In BIOUL, the reader's output.
ENTITIES = st.lists(
    st.lists(st.sampled_from(["O", "U-PER", "B-LOC L-LOC", "B-PER I-PER L-PER"]), min_size=1, max_size=3)
    .map(" ".join)
    .map(str.split)
    .map(lambda tags: {"tokens": [f"w{k}" for k in range(len(tags))], "tags": tags}),
    min_size=1,
    max_size=3,
)


class Format(NamedTuple):
    """
    A file format: the params of its reader, a strategy for lines that are often valid, a strategy for
    the instances of a valid file, and a function that writes them. `file` is the name of the file,
    `paths` are the reader's paths in the folder, and `beside` are further files.
    """

    reader: Dict[str, Any]
    line: Any
    examples: Any
    write: Callable[[Examples], bytes]
    file: str = "corpus"
    paths: Tuple[str, ...] = ("corpus",)
    beside: Tuple[Tuple[str, bytes], ...] = ()


PAIR = {"sentence1": text, "sentence2": text}
WHITE = {"tokenizer": "whitespace"}
WORDS_ALONE = {"source_tokenizer": "whitespace"}
WORDS_ALONE.update(
    {f"{side}_add_{end}_token": False for side in ("source", "target") for end in ("start", "end")}
)
FORMATS = {
    "a table of texts": Format(
        {"type": "table", **WHITE},
        st.builds(lambda one, two: encoded(f'{one},"{two}"'), text, text),
        examples(tokens=plain, label=st.sampled_from(["a,b", 'a "b"', "a\nb"])),
        lambda examples: table(examples, {"tokens": "text", "label": "Class"}),
        file="corpus.csv",
        paths=("corpus.csv",),
    ),
    "a table of pairs": Format(
        {"type": "table", **WHITE},
        text.map(encoded),
        examples(premise=plain, hypothesis=plain, label=st.sampled_from(["same", "1"])),
        lambda examples: table(
            examples, {"label": "label", "premise": "sentence1", "hypothesis": "sentence2"}
        ),
        file="corpus.csv",
        paths=("corpus.csv",),
    ),
    "conllu": Format(
        {"type": "tagged_text"},
        st.builds(conllu_line, number, word, tag).map(columns),
        TAGGED,
        lambda examples: tagged_lines(examples, lambda k, w, t: "\t".join(conllu_line(k, w, t))),
    ),
    "columns": Format(
        {"type": "tagged_text", "format": "columns"},
        st.builds(lambda w, t: [w, t], word, tag).map(columns),
        TAGGED,
        lambda examples: tagged_lines(examples, lambda k, w, t: f"{w}\t{t}"),
    ),
    "inline": Format(
        {"type": "tagged_text", "format": "inline"},
        st.lists(st.builds(lambda w, t: f"{w}/{t}", word, tag), min_size=1, max_size=3)
        .map(" ".join)
        .map(encoded),
        TAGGED,
        lambda examples: lines_of(
            examples,
            lambda example: " ".join(
                w.replace("/", "\\/") + "/" + t for w, t in zip(example["tokens"], example["tags"])
            ),
        ),
    ),
    **{
        f"conll_ner {scheme}": Format(
            {"type": "conll_ner", "coding_scheme": scheme},
            st.builds(lambda w, t: [w, "NN", t], word, tag).map(columns),
            ENTITIES,
            lambda examples, letters=letters: tagged_lines(
                [with_letters(example, letters) for example in examples], lambda k, w, t: f"{w}\t_\t{t}"
            ),
        )
        for scheme, letters in (
            ("IOB2", str.maketrans("LU", "IB")),
            ("BIOES", str.maketrans("LU", "ES")),
        )
    },
    "penn_treebank_pos": Format(
        {"type": "penn_treebank_pos"},
        st.lists(
            st.one_of(st.builds(lambda w, t: f"{w}/{t}", word, tag), st.sampled_from(["[", "]"])),
            max_size=4,
        )
        .map(" ".join)
        .map(encoded),
        TAGGED,
        lambda examples: lines_of(examples, bracketed),
        file="wsj_0001.pos",
        paths=("#0",),
    ),
    "movie_review": Format(
        {"type": "movie_review", "folds": 3},
        text.map(encoded),
        examples(tokens=plain, label=st.just("positive")),
        lambda examples: lines_of(
            [e for e in examples if e["label"] == "positive"], lambda e: " ".join(e["tokens"])
        ),
        file="rt-polarity.pos",
        paths=("#train", "#dev", "#test"),
        beside=(("rt-polarity.neg", b"a dull film\nno\ntoo long\n"),),
    ),
    "review": Format(
        {"type": "review", "dataset": "books", "dev_size": 1},
        st.builds(
            lambda label, text: [label, text], st.sampled_from(["0", "1", " 1", "2", ""]), text
        ).map(columns),
        examples(tokens=plain, label=st.sampled_from(["positive", "negative"])),
        lambda examples: lines_of(
            examples, lambda e: f"{int(e['label'] == 'positive')}\t{' '.join(e['tokens'])}"
        ),
        file="books.task.train",
        paths=("#train", "#dev"),
    ),
    "sst_tokens": Format(
        {"type": "sst_tokens"},
        st.builds(tree_of, words, st.sampled_from("012345")).map(encoded),
        examples(tokens=plain, label=st.sampled_from("01234")),
        lambda examples: lines_of(examples, lambda e: tree_of(e["tokens"], e["label"])),
    ),
    "snli": Format(
        {"type": "snli", **WHITE},
        in_json(gold_label=label, **PAIR),
        examples(premise=plain, hypothesis=plain, label=st.sampled_from(["neutral", "entailment"])),
        lambda examples: lines_of(
            examples,
            lambda e: json.dumps(
                {
                    "gold_label": e["label"],
                    "sentence1": " ".join(e["premise"]),
                    "sentence2": " ".join(e["hypothesis"]),
                }
            ),
        ),
    ),
    "quora_paraphrase": Format(
        {"type": "quora_paraphrase", **WHITE},
        st.builds(lambda *values: list(values), st.sampled_from("012"), text, text, text).map(columns),
        examples(premise=plain, hypothesis=plain, label=st.sampled_from("01")),
        lambda examples: lines_of(
            examples,
            lambda e: "\t".join([e["label"], " ".join(e["premise"]), " ".join(e["hypothesis"]), "7"]),
        ),
    ),
    **{
        f"seq2seq {quoting}": Format(
            {"type": "seq2seq", **WORDS_ALONE, "quoting": quoting},
            st.builds(lambda *values: list(values), text, text).map(columns),
            examples(source_tokens=plain, target_tokens=plain),
            (lambda examples: lines_of(examples, in_csv))
            if quoting == csv.QUOTE_MINIMAL
            else (
                lambda examples: lines_of(
                    examples,
                    lambda e: " ".join(e["source_tokens"]) + "\t" + " ".join(e["target_tokens"]),
                )
            ),
        )
        for quoting in (csv.QUOTE_MINIMAL, csv.QUOTE_NONE)
    },
    "parallel_text": Format(
        {"type": "parallel_text", **WORDS_ALONE},
        text.map(encoded),
        examples(source_tokens=plain),
        lambda examples: lines_of(examples, lambda e: " ".join(e["source_tokens"])),
        file="x.a",
        paths=("x.{a,a}",),
    ),
    "text_classification_json": Format(
        {"type": "text_classification_json", **WHITE},
        in_json(text=text, label=label),
        examples(tokens=plain, label=st.sampled_from(["a", "b"])),
        lambda examples: lines_of(
            examples,
            lambda e: json.dumps(
                {"text": " ".join(e["tokens"]), **({"label": e["label"]} if "label" in e else {})}
            ),
        ),
    ),
}


def test_every_reader_is_here():
    names = vars(slstm_allennlp.dataset_readers).items()
    ours = {name for name, value in names if isinstance(value, type)}
    tested = {type(reader_of(format)).__name__ for format in FORMATS.values()}
    assert tested == ours


def reader_of(format):
    return DatasetReader.from_params(Params(json.loads(json.dumps(format.reader))))


def paths_of(folder, format):
    return [f"{folder}{'' if path[0] == '#' else '/'}{path}" for path in format.paths]


def read(reader, folder, format) -> Examples:
    examples = [
        example_of(instance) for path in paths_of(folder, format) for instance in reader.read(path)
    ]
    return in_order(examples, format)


def in_order(examples, format):
    return sorted(examples, key=repr) if format.reader["type"] == "movie_review" else examples


def write(folder, format, content):
    for name, beside in format.beside:
        (folder / name).write_bytes(beside)
    (folder / format.file).write_bytes(content)


def mutate(content, place, length, piece):
    """Replace `length` bytes by another piece."""
    place = min(place, len(content))
    return content[:place] + piece + content[place + length :]


def is_good_error(error, folder, format):
    """Return whether the message is one line, and names the file and (if one is wrong) the line."""
    message = str(error)
    names_line = re.search(rf"{re.escape(format.file)}, line \d+: ", message)
    concerns_file = re.search(FILE_ERRORS, message)
    return "\n" not in message and message.startswith(str(folder)) and bool(names_line or concerns_file)


@pytest.mark.parametrize("name", FORMATS)
def test_any_bytes(name, tmp_path):
    format = FORMATS[name]
    reader = reader_of(format)
    line = st.one_of(format.line, format.line, st.lists(pieces, max_size=8).map(b"".join))
    ends = st.sampled_from([b"\n", b"\n", b"\n\n", b"\r\n", b" \n", b"\r \n"])
    lines = st.lists(st.tuples(line, ends).map(b"".join), max_size=5).map(b"".join)
    whole = format.examples.map(format.write)
    mutated = st.builds(mutate, whole, st.integers(0, 200), st.integers(0, 3), pieces)

    @given(st.one_of(whole, mutated, mutated, lines, st.binary(max_size=40)))
    def any_bytes(content):
        write(tmp_path, format, content)
        try:
            examples = read(reader, tmp_path, format)
        except ValueError as error:
            assert is_good_error(error, tmp_path, format), error
            examples = []
        # Byte order marks are nothing, wherever they are.
        without = content.replace(BOM, b"")
        if without != content:
            write(tmp_path, format, without)
            try:
                assert read(reader, tmp_path, format) == examples
            except ValueError:
                assert not examples
        if not examples:
            return
        for example in examples:
            for value in example.values():
                assert value and all(value), example
                assert BOM.decode() not in "".join(value)
            if "tags" in example:
                assert len(example["tags"]) == len(example["tokens"])
            labels = example.get("tags", [example.get("label", "")])
            assert labels == [label.strip() for label in labels]
        # A byte order mark at the start is not part of the first word.
        write(tmp_path, format, BOM + format.write(examples))
        assert read(reader, tmp_path, format) == examples

    any_bytes()


@pytest.mark.parametrize("name", FORMATS)
def test_what_is_written_reads_the_same(name, tmp_path):
    """Without this, the test above could pass if every file were an error."""
    format = FORMATS[name]
    reader = reader_of(format)

    @given(format.examples)
    def any_examples(examples):
        write(tmp_path, format, format.write(examples))
        found = read(reader, tmp_path, format)
        for example in examples:
            assert any(example.items() <= other.items() for other in found)
        assert len(found) >= len(examples)

    any_examples()


PREDICTORS = {
    name: SentencePair
    if "pairs" in name or name in ("snli", "quora_paraphrase")
    else SentenceTagger
    if format.examples in (TAGGED, ENTITIES)
    else TextClassifier
    for name, format in FORMATS.items()
    if "seq2seq" not in name and name != "parallel_text"
}


@pytest.mark.parametrize("name", PREDICTORS)
def test_predictors_read_what_readers_read(name, tmp_path, monkeypatch):
    format = FORMATS[name]
    reader = reader_of(format)
    predictor = PREDICTORS[name](torch.nn.Linear(1, 1), reader)
    form = "corpus" if hasattr(reader, "examples") else "json"

    def seen(inputs):
        """Return what the model would see."""
        instances = (
            {**example_of(predictor._json_to_instance(each)), predictor.answer: predictor.gold(each)}
            for each in inputs
        )
        return in_order(list(instances), format)

    @given(format.examples)
    def any_examples(examples):
        write(tmp_path, format, format.write(examples))
        expected = read(reader, tmp_path, format)
        paths = paths_of(tmp_path, format)
        inputs = [each for path in paths for each in read_examples(path, predictor, form)]
        assert seen(inputs) == expected
        lines = "".join(predictor.dump_line(each) for each in inputs)
        for text in (lines, "".join(json.dumps(each) + "\n" for each in inputs), BOM.decode() + lines):
            (tmp_path / "inputs.txt").write_text(text, encoding="utf-8")
            assert seen(read_examples(str(tmp_path / "inputs.txt"), predictor)) == expected
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
            assert seen(read_examples("-", predictor)) == expected
        words = [word for example in expected for word in example.get("tokens", [])]
        if words:
            rows = [(number, f"{word} {number} 0.5") for number, word in enumerate(words)]
            assert list(_parse_block("vectors", rows, 2)[0]) == words

    any_examples()
