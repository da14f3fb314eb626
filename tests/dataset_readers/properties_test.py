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
from typing import Any, Callable, Dict, NamedTuple, Tuple

import pytest
import torch
from allennlp.common import Params
from allennlp.data import DatasetReader, Vocabulary
from hypothesis import given
from hypothesis import strategies as st

import slstm_allennlp.dataset_readers
from slstm_allennlp.predictors import SentencePair, SentenceTagger, TextClassifier
from slstm_allennlp.predictors.examples import read_examples
from slstm_allennlp.vectors.files import _parse_block
from tests import properties  # noqa: F401  (sets the number of examples)
from tests.dataset_readers.common import example_of

# Errors that no single line causes.
FILE_ERRORS = (
    r"the file is empty|no (sentence|word|tree|text) in the file|no sentences but \d+ neutral ones"
    r"|none of \d+ pairs has a gold label|\d+ sentences for \d+ folds|\d+ reviews, expected more than"
    r"|has \d+ lines and .* has \d+|\d+ of \d+ words are _"
)
BOM = b"\xef\xbb\xbf"
# Characters in words that some programs treat as a space, a line break or nothing.
UNUSUAL = "\u00a0 \u0085 \x0b \x0c \x1c \u2028 \u200b \ufeff \x00 \r e\u0301 é 字 😀 \\ ' * # | - _ /"
PIECES = [*(bytes([byte]) for byte in b'\t /(){}"1-[]\r\x85\xe9\xc3\xff\x81\x00#')]
pieces = st.sampled_from([*PIECES, b"=====", b"\\ud83d", b"NaN", BOM]) | st.binary(max_size=4)


def listed(strategy, most=4):
    return st.lists(strategy, min_size=1, max_size=most)


word = st.one_of(
    st.sampled_from("the film Cats 1\\/2 (dull) it's -DOCSTART- *x*".split()),
    listed(st.sampled_from([*UNUSUAL.split(" "), *"abAB12"])).map("".join),
    st.text(min_size=1, max_size=4),
)
tag = st.sampled_from("NN . '' JJ|NN |NN _ O B-PER I-PER E-PER S-LOC I-LOC B- I".split())
slashed = st.builds(lambda w, t: f"{w}/{t}", word, tag)
label = st.sampled_from(["0", "1", "2", "entailment", "neutral", "-", "", 1, True, None, 0.5, ["1"]])
words = listed(word)
text = words.map(" ".join)
number = st.sampled_from([0, 1, 1, 1, 2, 3])


# The following generate lines that are often valid.


def in_columns(*values):
    return st.tuples(*values).map("\t".join)


def in_json(**values):
    return st.fixed_dictionaries(values).map(lambda v: json.dumps(v, ensure_ascii=False))


def tree_of(words, root):
    return f"({root} " + " ".join(f"(2 {word})" for word in words) + ")"


def conllu_line(number, word, tag):
    return "\t".join([str(number), word, "_", tag, tag, *"_____"])


# The following return a function that writes a file of examples.


def by_words(line):
    def sentence(example):
        numbered = enumerate(zip(example["tokens"], example["tags"]), 1)
        return "".join(line(number, *pair) + "\n" for number, pair in numbered)

    return by_lines(sentence)


def by_lines(line):
    return lambda examples: "".join(line(example) + "\n" for example in examples).encode()


def joined(example):
    """Return the example with its texts as strings."""
    return {field: " ".join(v) if isinstance(v, list) else v for field, v in example.items()}


def by_tabs(*fields):
    """Write a line with the fields of an example and other words, with tabs between."""
    return by_lines(lambda e: "\t".join(joined(e).get(field, field) for field in fields))


def by_keys(**keys):
    """Write a line of JSON with these keys, each with the field of an example."""
    return by_lines(lambda e: json.dumps({key: joined(e)[f] for key, f in keys.items() if f in e}))


def by_csv(header=True, delimiter=",", quoting=csv.QUOTE_MINIMAL, **names):
    def write(examples):
        fields, file = [field for field in names if field in examples[0]], io.StringIO()
        form = {"delimiter": delimiter, "quoting": quoting, "lineterminator": "\n"}
        writer = csv.DictWriter(file, fields, extrasaction="ignore", **form)
        writer.writerows([*([names] if header else []), *map(joined, examples)])
        return file.getvalue().encode()

    return write


def inline(example):
    pairs = zip(example["tokens"], example["tags"])
    return " ".join(word.replace("/", "\\/") + "/" + tag for word, tag in pairs)


def entities(letters):
    """Write entities with other letters than BIOUL, the reader's output."""
    return by_words(lambda k, w, t: f"{w}\t_\t{t[0].translate(letters) + t[1:]}")


def positive(examples):
    return by_tabs("tokens")([example for example in examples if example["label"] == "positive"])


def examples(**values):
    return st.lists(st.fixed_dictionaries(values), min_size=2, max_size=4)


plain = listed(st.sampled_from("the film Cats it's 1.5 字 😀 x|y #1 a\u200bb ''".split()))
PAIRS = {"premise": plain, "hypothesis": plain}
WORDS = st.sampled_from("the film Cats 1/2 x|y '' \u00a0 \u3000 a\u00a0b".split(" "))
TAGS = st.sampled_from("NN . '' JJ".split())
TAGGED = listed(
    listed(st.tuples(WORDS, TAGS)).map(
        lambda pairs: {"tokens": [w for w, _ in pairs], "tags": [t for _, t in pairs]}
    ),
    3,
)
SPANS = listed(st.sampled_from(["O", "U-PER", "B-LOC L-LOC", "B-PER I-PER L-PER"]), 3)
ENTITIES = listed(
    SPANS.map(" ".join)
    .map(str.split)
    .map(lambda tags: {"tokens": [f"{chr(97 + k)}x" for k in range(len(tags))], "tags": tags}),
    3,
)


class Format(NamedTuple):
    """
    A file format: the params of its reader, a strategy for lines that are often valid, a strategy for
    the instances of a valid file, and a function that writes them. `file` is the name of the file,
    `paths` are the reader's paths in the folder, if others, and `beside` is a second file.
    """

    reader: Dict[str, Any]
    line: Any
    examples: Any
    write: Callable
    file: str = "corpus"
    paths: Tuple[str, ...] = ()
    beside: Tuple[str, bytes] = ("beside", b"")


WHITE = {"tokenizer": "whitespace"}
ENDS = [f"{side}_add_{end}_token" for side in ("source", "target") for end in ("start", "end")]
WORDS_ALONE = {"source_tokenizer": "whitespace", **dict.fromkeys(ENDS, False)}
SEQ2SEQ = {"type": "seq2seq", **WORDS_ALONE, "quoting": csv.QUOTE_MINIMAL}
SIDES = ("source_tokens", "target_tokens")
both_sides = examples(**dict.fromkeys(SIDES, plain))
FORMATS = {
    "a table of texts": Format(
        {"type": "table", **WHITE},
        st.builds(lambda one, two: f'{one},"{two}"', text, text),
        examples(tokens=plain, label=st.sampled_from(["a,b", 'a "b"', "a\nb"])),
        by_csv(tokens="text", label="Class"),
        "corpus.csv",
    ),
    "a table of pairs": Format(
        {"type": "table", **WHITE},
        text,
        examples(**PAIRS, label=st.sampled_from(["same", "1"])),
        by_csv(label="label", premise="sentence1", hypothesis="sentence2"),
        "corpus.csv",
    ),
    "conllu": Format(
        {"type": "tagged_text"}, st.builds(conllu_line, number, word, tag), TAGGED, by_words(conllu_line)
    ),
    "columns": Format(
        {"type": "tagged_text", "format": "columns"},
        in_columns(word, tag),
        TAGGED,
        by_words(lambda k, w, t: f"{w}\t{t}"),
    ),
    "inline": Format(
        {"type": "tagged_text", "format": "inline"},
        listed(slashed, 3).map(" ".join),
        TAGGED,
        by_lines(inline),
    ),
    **{
        f"conll_ner {scheme}": Format(
            {"type": "conll_ner", "coding_scheme": scheme},
            in_columns(word, st.just("NN"), tag),
            ENTITIES,
            entities(str.maketrans("LU", letters)),
        )
        for scheme, letters in (("IOB2", "IB"), ("BIOES", "ES"))
    },
    "penn_treebank_pos": Format(
        {"type": "penn_treebank_pos"},
        st.lists(slashed | st.sampled_from("[]"), max_size=4).map(" ".join),
        TAGGED,
        by_lines(lambda e: f"=====\n\n[ {inline(e)} ]"),  # no sentence ends inside brackets
        "wsj_0001.pos",
        ("#0",),
    ),
    "movie_review": Format(
        {"type": "movie_review", "folds": 3},
        text,
        examples(tokens=plain, label=st.just("positive")),
        positive,
        "rt-polarity.pos",
        ("#train", "#dev", "#test"),
        ("rt-polarity.neg", b"a dull film\nno\ntoo long\n"),
    ),
    "review": Format(
        {"type": "review", "dataset": "books", "dev_size": 1, "labels": {"0": "0", "1": "1"}},
        in_columns(st.sampled_from(["0", "1", " 1", "2", ""]), text),
        examples(tokens=plain, label=st.sampled_from("01")),
        by_tabs("label", "tokens"),
        "books.task.train",
        ("#train", "#dev"),
    ),
    "sst_tokens": Format(
        {"type": "sst_tokens"},
        st.builds(tree_of, words, st.sampled_from("012345")),
        examples(tokens=plain, label=st.sampled_from("01234")),
        by_lines(lambda e: tree_of(e["tokens"], e["label"])),
    ),
    "snli": Format(
        {"type": "snli", **WHITE},
        in_json(gold_label=label, sentence1=text, sentence2=text),
        examples(**PAIRS, label=st.sampled_from(["neutral", "entailment"])),
        by_keys(gold_label="label", sentence1="premise", sentence2="hypothesis"),
    ),
    "quora_paraphrase": Format(
        {"type": "quora_paraphrase", **WHITE},
        in_columns(st.sampled_from("012"), text, text, text),
        examples(**PAIRS, label=st.sampled_from("01")),
        by_tabs("label", "premise", "hypothesis", "7"),
    ),
    "seq2seq in quotation marks": Format(
        SEQ2SEQ,
        in_columns(text, text),
        both_sides,
        by_csv(False, "\t", csv.QUOTE_ALL, **dict(zip(SIDES, SIDES))),
    ),
    "seq2seq": Format(
        {**SEQ2SEQ, "quoting": csv.QUOTE_NONE}, in_columns(text, text), both_sides, by_tabs(*SIDES)
    ),
    "parallel_text": Format(
        {"type": "parallel_text", **WORDS_ALONE},
        text,
        examples(source_tokens=plain),
        by_tabs("source_tokens"),
        "x.a",
        ("x.{a,a}",),
    ),
    "text_classification_json": Format(
        {"type": "text_classification_json", **WHITE},
        in_json(text=text, label=label),
        examples(tokens=plain, label=st.sampled_from("ab")),
        by_keys(text="tokens", label="label"),
    ),
}


def test_every_reader_is_here():
    """Also those in the place of AllenNLP's of the same name."""
    ours = {value for value in vars(slstm_allennlp.dataset_readers).values() if isinstance(value, type)}
    assert {type(reader_of(format)) for format in FORMATS.values()} == ours


def reader_of(format):
    return DatasetReader.from_params(Params(json.loads(json.dumps(format.reader))))


def paths_of(folder, format):
    return [f"{folder}{'' if path[0] == '#' else '/'}{path}" for path in format.paths or (format.file,)]


def read(reader, folder, format):
    paths = paths_of(folder, format)
    return in_order([example_of(one) for path in paths for one in reader.read(path)], format)


def in_order(examples, format):
    return sorted(examples, key=repr) if format.reader["type"] == "movie_review" else examples


def write(folder, format, content):
    name, beside = format.beside
    (folder / name).write_bytes(beside)
    (folder / format.file).write_bytes(content)


def mutate(content, place, length, piece):
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
    line = format.line.map(lambda text: text.encode("utf-8", "surrogatepass"))
    line = st.one_of(line, line, st.lists(pieces, max_size=8).map(b"".join))
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


def predictor_of(name, reader):
    if "seq2seq" in name or name == "parallel_text":
        return None
    is_pair = "pairs" in name or name in ("snli", "quora_paraphrase")
    is_tagged = FORMATS[name].examples in (TAGGED, ENTITIES)
    kind = SentencePair if is_pair else SentenceTagger if is_tagged else TextClassifier
    model = torch.nn.Linear(1, 1)
    model.vocab = Vocabulary()
    return kind(model, reader)


@pytest.mark.parametrize("name", FORMATS)
def test_readers_and_predictors_read_what_is_written(name, tmp_path, monkeypatch):
    """Without this, the test above could pass if every file were an error."""
    format = FORMATS[name]
    reader = reader_of(format)
    predictor = predictor_of(name, reader)
    form = "corpus" if hasattr(reader, "examples") else "json"

    def seen(inputs):
        instances = (
            {**example_of(predictor._json_to_instance(each)), predictor.answer: predictor.gold(each)}
            for each in inputs
        )
        return in_order(list(instances), format)

    @given(format.examples)
    def any_examples(examples):
        write(tmp_path, format, format.write(examples))
        expected = read(reader, tmp_path, format)
        for example in examples:
            assert any(example.items() <= other.items() for other in expected)
        assert len(expected) >= len(examples)
        if predictor is None:
            return
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
