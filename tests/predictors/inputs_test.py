"""What people's files look like: the right prediction of each line, or an error that says what it is."""

import bz2
import gzip
import io
import json
import logging
import os
import sys

import numpy
import pytest
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import DatasetReader, Vocabulary
from allennlp.models import Model

from slstm_allennlp.common.errors import CorpusError
from slstm_allennlp.predictors import SentencePair, SentenceTagger, TextClassifier
from slstm_allennlp.predictors.examples import read_examples

EMBEDDER = {"token_embedders": {"tokens": {"type": "embedding", "embedding_dim": 4}}}
BAG = {"type": "bag_of_embeddings", "embedding_dim": 4}
WHITE = {"tokenizer": "whitespace"}
JSON = {"type": "text_classification_json", **WHITE}
SNLI = {"type": "snli", **WHITE}
CONLL = {"type": "conll2003", "convert_to_coding_scheme": "BIOUL"}
OWN_TABLE = {"type": "table", "text": "t", "label": "l", **WHITE}
NER = {"type": "conll_ner", "coding_scheme": "IOB2"}
TAGS = {"type": "tagged_text", "format": "columns"}
TEXTS = ("t.jsonl", '{"text": "good film", "label": "x"}\n{"text": "bad", "label": "y"}\n')
PAIR = '{"sentence1": "a b", "sentence2": "b", "gold_label": "%s"}\n'
PAIRS = ("p.jsonl", "".join(PAIR % label for label in ("entailment", "neutral", "contradiction")))
COLUMNS = "Ada\tB-PER\nMay\tI-PER\nworks\tO\n\nTom\tB-PER\n\nAcme\tB-ORG\n"
TAGGED = "the\tDET\ncat\tNOUN\nsees\tVERB\n.\t.\n"
NUMBERS = ("t.jsonl", '{"text": "a", "label": 1}\n{"text": "b", "label": 0}\n')
TWO_CLASSES = {"type": "sst_tokens", "granularity": "2-class"}
TREES = "(3 (2 a) (4 film))\n(0 (2 dull) (1 film))\n"


@pytest.fixture
def predictor(tmp_path):
    """Return the predictor of an untrained model of a reader, whose labels are those of a file."""

    def build(reader, name, content, **model):
        (tmp_path / name).write_text(content, encoding="utf-8")
        reader = DatasetReader.from_params(Params(json.loads(json.dumps(reader))))
        instances = list(reader.read(str(tmp_path / name)))
        params = {"text_field_embedder": EMBEDDER, "seq2vec_encoder": BAG}
        kind, predictor = "basic_classifier", TextClassifier
        if "premise" in instances[0].fields:
            kind, predictor = "sentence_pair_classifier", SentencePair
        elif "tags" in instances[0].fields:
            kind, predictor = "simple_tagger", SentenceTagger
            del params["seq2vec_encoder"]
            params["encoder"] = {"type": "pass_through", "input_dim": 4}
        params = Params(json.loads(json.dumps({"type": kind, **params, **model})))
        vocab = Vocabulary.from_instances(instances)
        return predictor(Model.from_params(params, vocab=vocab).eval(), reader)

    return build


@pytest.fixture
def examples(tmp_path, caplog, monkeypatch):
    """Write a file, and return the inputs that are read and what the log says. "-" is standard input."""
    caplog.set_level(logging.INFO)

    def read(predictor, name, content, **options):
        content = content.encode() if isinstance(content, str) else content
        if name == "-":
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
            return list(read_examples("-", predictor, **options)), None
        if content is not None:
            (tmp_path / name).write_bytes(content)
        inputs = list(read_examples(str(tmp_path / name), predictor, **options))
        *_, message = [text for text in caplog.messages if f"{name}: read as " in text]
        return inputs, message.partition(": read as ")[2]

    return read


LABELS = "standard input: looks like labelled data"
COLUMNS_FORM = "columns of words and tags, by the reader conll_ner"
PLAIN, TABLE = "plain text, one text per line", "a table, by the reader table"
TAGGER = {
    "ner": (NER, "n", COLUMNS),
    "entities": (NER, "n", COLUMNS),  # by a model with an encoding
    "tags": (TAGS, "n", TAGGED),
    "conllu": ({"type": "tagged_text"}, "n", "1\tit\t_\tPRON\tPRP" + "\t_" * 5 + "\n"),
    "texts": (JSON, *TEXTS),
    "trees": ({"type": "sst_tokens"}, "n", TREES),
    "table": ({"type": "table", **WHITE}, "t.csv", "text,label\na film,x\nb,y\n"),
    "own table": (OWN_TABLE, "t.csv", "t,l\na film,x\nb,y\n"),
}


@pytest.mark.parametrize(
    "model, name, content, form",
    [
        ("ner", "a.txt", COLUMNS, COLUMNS_FORM),
        ("ner", "a.txt", COLUMNS.replace("\t", " "), COLUMNS_FORM),
        ("ner", "a.txt", "Mon\tB-DATE\n\n" + COLUMNS, COLUMNS_FORM),
        ("entities", "a.txt", COLUMNS, COLUMNS_FORM),
        ("tags", "a#1.txt", "Go .\nRun .\n", PLAIN),
        ("ner", "a.txt", "Ada works\nTom sleeps\n", PLAIN),
        ("ner", "a.txt", "FIRE IN ROME\nTom sleeps\n", PLAIN),
        ("ner", "a.txt", "Ada\nMay\nTom\n", PLAIN),
        ("tags", "a.txt", "Hello\n\nGoodbye\n", PLAIN),
        ("texts", "a.txt", "Goodbye,x\nno film\n", PLAIN),
        ("tags", "a", "Go .\nRun .\n", PLAIN),
        ("tags", "a.txt", "Ada\tworks\n", PLAIN),
        ("tags", "a.txt", '{"text": "a"}\n', "JSON, one object per line"),
        ("tags", "a.txt", "\n{ a b }\n", PLAIN),
        ("texts", "a.txt", "good\n\nthis film is x\n", PLAIN),
        ("texts", "a.txt", "good\nbad\n\ngood, but x\n", PLAIN),
        ("texts", "a.csv", 'id,text,label\n1,"a\nb",x\n', TABLE),
        ("texts", "a.tsv", "review\nb\n", TABLE),
        ("texts", "a.txt", 'text,label\n"good, film","x"\nbad,y\n', TABLE),
        ("texts", "a.txt", "id;Review\n1;good film\n", TABLE),
        ("texts", "a.txt", "sep=;\ntext;label\ngood film;x\n", TABLE),
        ("texts", "a.md", "good film\n\nbad one\n", PLAIN),
        ("tags", "a.md", "Hello world\nGood morning\nsee you\n\nthree four\n", PLAIN),
        ("trees", "a.txt", "sentence\na good film\n", TABLE),
        ("trees", "a.tsv", "sentence\tlabel\na good film\t1\n", TABLE),
        ("trees", "a.txt", TREES, "texts and their labels, by the reader sst_tokens"),
        ("trees", "a.txt", "(2 or 3) good films\n", PLAIN),
        ("table", "a.txt", "text\tlabel\na\tx\n", TABLE),
        ("table", "a.txt", "a film\n", PLAIN),
        ("table", "a.txt", 'Message\n\nIt is "fine".\n', PLAIN),
        ("table", "a.txt", "id\ttext\n1\ta\n", TABLE),
        ("table", "a.txt", ",text\n0,good one\n1,bad one\n", TABLE),
        ("table", "a.txt", "Unnamed: 0,text\n0,good one\n", TABLE),
        ("table", "a.txt", '"text", "label"\n"a", "x"\n', TABLE),
        ("table", "a.txt", "review id,text\n1,good one\n", TABLE),
        ("table", "a.txt", "Message, dear Bob\nHello, how are you\nBye, then\n", PLAIN),
        ("texts", "a.txt", "Comment; I hate it\nno\n", PLAIN),
        ("texts", "a.txt", "Review, bad movie\nI liked it\n", PLAIN),
        ("table", "a.txt", "review\ngood, I think\n", TABLE),
        ("table", "a.txt", "review\n", PLAIN),
        ("own table", "a.txt", "t\na film\nb\n", TABLE),
        ("ner", "a.txt", "王小明住在北京。\n他喜欢这里。\n\n李华住在上海。\n", PLAIN),
    ],
)
def test_the_log_says_what_is_read(predictor, examples, model, name, content, form):
    options = {"label_encoding": "BIOUL"} if model == "entities" else {}
    assert examples(predictor(*TAGGER[model], **options), name, content)[1] == form


@pytest.mark.parametrize(
    "model, content, why",
    [
        ("ner", "Ada\tI-PER\nworks\tO\n\nTom\tB-PER\n", "line 1: the tag I-PER follows O"),
        ("ner", "Ada I-PER\nworks O\n\nTom B-PER\n", "line 1: the tag I-PER follows O"),
        ("ner", "1\tAda\tB-PER\tO\n2\tMay\tI-PER\tO\n", "running numbers.*word_column"),
        ("ner", "Ada\nworks O\nfor O\nAcme B-ORG\n", "line 1: 1 column"),
        ("ner", "Ada\nworks\n\nTom\n", "line 1: 1 column"),
        ("ner", "Ada B-PER 0.9\nworks O 0.8\n", "line 1: the tag is '0.9'"),
        ("tags", "the\tDT\ncat\tNN\n", "the model knows 0 of 2 labels"),
        ("tags", "the/DET cat/NOUN\nit/PRON ./.\n", "the model knows 0 of 2"),
        ("tags", "the\tthe\tx\tDET\ncat\tcat\tx\tNOUN\n", "line 1: 4 columns"),
        ("texts", "x\tgood film\ny\tbad\n", "the model's reader reads JSON"),
        ("texts", "good film\tx\n", r"the model's reader reads JSON.*ends in \.csv or \.tsv, or"),
        ("texts", "x;good film\ny;bad\n", "the model's reader reads JSON"),
        ("texts", "text,label\ngood film,new\n", "the model knows 0 of 1 labels"),
        ("table", "text|label\ngood film|new\n", "the model knows 0 of 1 labels"),
        ("texts", "__label__x good film\n", "the model's reader reads JSON"),
        ("trees", "(3 (2 a) (9 film))\n" + TREES, "line 1: a node has the label '9'"),
        ("table", "txt\tlabel\na\tx\n", "the columns are txt, label"),
    ],
)
def test_what_looks_like_labels_is_no_plain_text(predictor, examples, model, content, why):
    predictor = predictor(*TAGGER[model])
    message = rf"a\.txt: looks like labelled data.*{why}.*--input-format text"
    with pytest.raises(CorpusError, match=message):
        examples(predictor, "a.txt", content)
    assert len(examples(predictor, "a.txt", content, input_format="text")[0]) == content.count("\n")
    is_seen_at_once = "\t" in content.partition("\n")[0] and model != "table"
    if is_seen_at_once or content.startswith(("text", "sep=")):
        with pytest.raises(CorpusError, match=LABELS):
            examples(predictor, "-", content)


CUT_OFF = gzip.compress(b"a film\n" * 9000, mtime=0)[:-12]
WORDS_AS_JSON = r'expected JSON lines, such as \{"words": \["Ada", "works"\]\}'
A_TABLE = r"a\.csv: is a table, and the model tags words, exp"
A_LIST = r"line 1: .*the start of a list; JSON lines have one"
OF_TAGS = '\n{"words": ["Ada", "May"], "tags": %s}\n'
NOT_READ = {
    "tags": [
        *(("-", f"{line}\n", LABELS) for line in ("# sent_id = 1", "# id 12 x", "EU NNP B-NP B-ORG")),
        *(("-", f"{line}\n", LABELS) for line in ("the DET", "-DOCSTART- -X- -X- O", "the###DET a###N")),
        ("-", "1\ta\t_" + "\t_" * 7 + "\n", LABELS),
    ],
    "conllu": [
        ("bad.jsonl", '{"sentence": "It"}\n\n{"text": 3}\n', "bad.jsonl, line 3: text is 3, expected"),
        ("bad.txt", '{"sentence": "Zoë"}'.encode("cp1252"), "byte 0xeb .* expected a UTF-8 file .iconv"),
        ("bad.txt", '{"sentence": "It"}\nIt\n', "bad.txt, line 2: 'It' is not JSON"),
        ("empty.txt", "", "empty.txt: the file is empty"),
        ("bad.conllu", "1\tIt\n", "bad.conllu, line 1: 2 columns between tabs, expected the 10"),
        ("none.conllu", None, "none.conllu: cannot be read"),
    ],
    "ner": [
        *(("-", f"{line}\n", LABELS) for line in ("EU NNP L-PER", "Ada _ _ B-PER", "Ada B-PER")),
        ("a.csv", "id,text\n1,Ada works in Paris\n", A_TABLE),
        ("a.csv", 'text\n"Ada works in Paris"\n', A_TABLE),
        ("a.txt", "Ada\nworks\n\nTom\nran\n", WORDS_AS_JSON),
        ("a.txt", "モーニング娘。\nが\n。\n\nTom\nran\n", "expected JSON lines, such as"),
        ("a.jsonl", OF_TAGS % 4, "a.jsonl, line 2: tags is 4, expected a list"),
        (
            "a.jsonl",
            OF_TAGS % [1, 2],
            r"a.jsonl, line 2: tags is \[1, 2\], expected a list of tags, such as B-PER",
        ),
        ("a.jsonl", OF_TAGS % '["B-PER", "S-X"]', "a.jsonl, line 2: the tags are B-PER S-X"),
    ],
    "texts": [
        *((name, '[{"text": "a"},\n {"text": "b"}]\n', A_LIST) for name in ("-", "a")),
        *((name, '[\n{\n"text": "a"\n}\n]\n', A_LIST) for name in ("-", "a")),
        ("a.txt.gz", CUT_OFF, r"a\.txt\.gz: cannot be read \(.*expected a text file"),
        ("a.txt", "a\nb\rc\n", r"a\.txt, line 2: a carriage return inside the line"),
    ],
    "own table": [("-", "id,t\n", LABELS)],
}


@pytest.mark.parametrize(
    "model, name, content, message", [(model, *row) for model in NOT_READ for row in NOT_READ[model]]
)
def test_what_is_not_read(predictor, examples, model, name, content, message):
    with pytest.raises(CorpusError, match=message):
        examples(predictor(*TAGGER[model]), name, content)


@pytest.mark.parametrize(
    "model, name, content, keys, texts",
    [
        ("ner", "-", "Blood type O\n", ["sentence"], ["Blood type O"]),
        ("tags", "-", "NOUN\n", ["sentence"], ["NOUN"]),
        ("texts", "-", "a list [1] {x}\n", ["sentence"], ["a list [1] {x}"]),
        ("conllu", "-", '{"text": "It rains"}\n\n', ["text", "sentence"], ["It rains", ""]),
        ("conllu", "-", "\nIt rains\n", ["sentence"] * 2, ["", "It rains"]),
        ("texts", "a.txt", "good\n \t\nbad\n", ["sentence"] * 3, ["good", "", "bad"]),
        # An empty cell of the only column is an empty text.
        ("table", "a.csv", "text\na\n\nb\n\n", ["text"] * 4, ["a", "", "b", ""]),
        # In a field of a table, a carriage return is part of the text.
        ("texts", "a.csv", 'text\n"a\rb"\n', ["text"], ["a\rb"]),
    ],
)
def test_the_text_of_each_line(predictor, examples, model, name, content, keys, texts):
    inputs, _ = examples(predictor(*TAGGER[model]), name, content)
    assert inputs == [{key: text} for key, text in zip(keys, texts)]


def test_columns_of_another_table(predictor, examples):
    """Of the standard input, too, which is read once."""
    predictor = predictor(
        {"type": "table", "text": "remark", **WHITE}, "t.csv", "remark,label\na,x\nb,y\n"
    )
    given = "sep=,\n\nfoo,bar\n1,2\n"
    with pytest.raises(CorpusError, match=r"^standard input, line 3: there is no column 'remark'"):
        examples(predictor, "-", given, input_format="corpus")
    with pytest.raises(CorpusError, match=r"a\.csv, line 3: there is no column 'remark'"):
        examples(predictor, "a.csv", given)
    with pytest.raises(CorpusError, match=r"a\.jsonl, line 2: there is no column 'remark'"):
        examples(predictor, "a.jsonl", '{"remark": "a"}\n{"comment": "b"}\n')
    lines = '{"sentence": "a"}\n{"remark": "b", "label": []}\n{"remark": "b", "label": NaN}\n'
    inputs, _ = examples(predictor, "a.jsonl", lines)
    inputs += [{"text": "a", "label": numpy.int64(1)}, {"text": "a", "label": numpy.float32("nan")}]
    golds = [output.get("gold") for output in predictor.predict_batch_json(inputs)]
    assert golds == [None, None, None, "1", None]
    with pytest.raises(CorpusError, match=r"^the input is \{\}, expected"):
        predictor.predict_json(predictor.load_line("{}"))
    with pytest.raises(CorpusError, match=r"^there is no column 'remark', expected one of ") as error:
        predictor.load_line(json.dumps({f"a{n}": n for n in range(1000)}))
    assert len(str(error.value)) < 300


def test_pairs_of_a_table(predictor, examples):
    """Also with sentences without words, which have no label."""
    predictor = predictor({"type": "table", **WHITE}, "p.csv", "text1,text2,class\na b,c,x\nb,c,y\n")
    inputs, _ = examples(predictor, "a.jsonl", '{"text1": "a", "text2": "b", "class": "y ", "n": 1}\n')
    inputs += examples(predictor, "a.txt", "a\tb\n\na\t \n")[0]
    first, *others = predictor.predict_batch_json(inputs)
    assert first["gold"] == "y"
    assert [other["label"] is None for other in others] == [False, True, True]


def test_a_pipe_is_no_file(predictor, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ConfigurationError, match="pipe: is a pipe, expected a file, or - for the stand"):
        next(iter(read_examples(str(tmp_path / "pipe"), predictor(*TAGGER["tags"]))))


def test_an_empty_cell_of_a_table_has_no_label(predictor, examples):
    predictor = predictor({"type": "table", **WHITE}, "p.csv", "text,label\na b,x\nb,y\n")
    inputs, _ = examples(predictor, "a.csv", "id,text\n1,a\n2,\n3,b\n")
    labels = [output["label"] for output in predictor.predict_batch_json(inputs)]
    assert [label is None for label in labels] == [False, True, False]


def test_pairs_without_a_gold_label_are_predicted(predictor, examples):
    predictor = predictor({"type": "table", **WHITE}, "p.csv", "text1,text2,class\na b,c,x\nb,c,y\n")
    inputs, _ = examples(predictor, "a.csv", "text1,text2,gold label\na,b,-\nb,c,x\n")
    assert [given.get("label") for given in inputs] == [None, "x"]
    for label in ("-", "hidden", " "):
        inputs, _ = examples(predictor, "a.jsonl", PAIR % label)
        assert "gold" not in predictor.predict_json(inputs[0])
    # Those that Prodigy's annotator has rejected
    rows = "text1,text2,class,answer\na,b,x,accept\nb,c,y,reject\n"
    names, *values = [line.split(",") for line in rows.splitlines()]
    lines = "".join(json.dumps(dict(zip(names, row))) + "\n" for row in values)
    for name, content in (("a.csv", rows), ("a.jsonl", lines)):
        inputs, _ = examples(predictor, name, content)
        assert [given.get("label") for given in inputs] == ["x", None]


def test_a_part_is_that_of_the_training(predictor, tmp_path, examples):
    """Pairs without a gold label, which the training leaves out, do not change who is in it."""
    predictor = predictor({"type": "table", **WHITE}, "p.csv", "text1,text2,class\na b,c,x\nb,c,y\n")
    lines = "".join(
        json.dumps({"text1": f"a{n}", "text2": "b", "gold_label": "-" if n % 5 == 0 else "xy"[n % 2]})
        + "\n"
        for n in range(60)
    )
    inputs, _ = examples(predictor, "nli.jsonl", lines)
    assert len(inputs) == 60
    path = f"{tmp_path}/nli.jsonl#test"
    read = list(predictor._dataset_reader.examples(path))
    assert 0 < len(read) < 10 and read == list(read_examples(path, predictor))


def test_a_format_that_is_named(predictor, examples):
    predictor = predictor(*TAGGER["tags"])
    inputs, _ = examples(predictor, "a.txt", "a\tX\n", input_format="corpus")
    assert inputs == [{"words": ["a"], "tags": ["X"]}]
    with pytest.raises(CorpusError, match=r"3 columns, expected two.*; --input-format text reads plain"):
        examples(predictor, "a.csv", "it broke twice\n")
    with pytest.raises(ConfigurationError, match="is 'csv', expected one of text, json, corpus"):
        examples(predictor, "a.txt", "a\tX\n", input_format="csv")


def test_a_table_in_the_encoding_of_the_reader(predictor, examples):
    predictor = predictor({"type": "table", "encoding": "shift_jis"}, "t.csv", "text,label\na,x\nb,y\n")
    content = "text,label\nこの映画、,x\n".encode("shift_jis")  # with a byte 0x81
    assert examples(predictor, "all.csv", content)[0] == [{"text": "この映画、", "label": "x"}]


def test_most_words_are_unknown(predictor, caplog):
    """It is said once, and not of a few words."""
    predictor = predictor(*TAGGER["texts"])
    known = "film "
    others = "e\u0301 " * 100
    for text in ("x y z " * 30, known * 100, known * 100 + "é " * 100, others, others):
        predictor.predict_json({"text": text})
    said = [message for message in caplog.messages if "unknown to the model" in message]
    assert said == [
        "100 of 100 words are unknown to the model: are the texts in the language and Unicode form of "
        "its training data, and divided into words like them?"
    ]


@pytest.mark.parametrize("line", ["a b", "a    b", "7\ta\tb", "\ta\tb", "a\tb\tentailment"])
def test_pairs_with_another_number_of_tabs(predictor, examples, line):
    predictor = predictor(SNLI, *PAIRS)
    message = rf"a.txt, line 3: there are {line.count(chr(9))} tabs, expected one"
    with pytest.raises(CorpusError, match=message):
        examples(predictor, "a.txt", f"a\tb\n\n{line}\n")
    inputs, form = examples(predictor, "a.txt", " a b \tc\n\n")
    assert [predictor._sentences(each) for each in inputs] == [[" a b ", "c"], ["", ""]]
    assert form == "plain text, two texts per line with a tab between"
    rows = "id\tpremise\thypothesis\tlabel\n7\ta\tb\tneutral\n8\tc\td\t\n"  # the second has no label
    assert [each.get("label") for each in examples(predictor, "a.tsv", rows)[0]] == ["neutral", None]


@pytest.mark.parametrize(
    "reader, file, given, gold",
    [
        ({**SNLI, "collapse_labels": True}, PAIRS, json.loads(PAIR % "neutral"), "non-entailment"),
        (SNLI, PAIRS, {"premise": "a", "hypothesis": "b", "label": -1}, "-1"),
        (NER, ("n", COLUMNS), {"words": ["Ada", "May"], "tags": ["B-PER", "B-ORG"]}, ["U-PER", "U-ORG"]),
        (NER, ("n", COLUMNS), {"text": "Ada May", "tags": ["B-PER", "L-PER"]}, ["B-PER", "L-PER"]),
        (NER, ("n", COLUMNS), {"words": ["Ada"], "tags": [" B-PER\u00a0"]}, ["U-PER"]),
        (CONLL, ("n", "Ada N I-NP I-PER\n"), {"words": ["Ada"], "tags": ["I-PER"]}, ["U-PER"]),
        (JSON, TEXTS, {"text": "a", "label": " x\t"}, "x"),
        ({**JSON, "skip_label_indexing": True}, NUMBERS, {"text": "a", "label": "1"}, "1"),
        (TWO_CLASSES, ("n", TREES), {"words": ["a"], "label": 4}, "1"),
        (TWO_CLASSES, ("n", TREES), {"words": ["a"], "label": 2}, "2"),
        (TWO_CLASSES, ("n", TREES), {"words": ["a"], "label": 1}, "1"),  # the model's own
        (OWN_TABLE, ("t.csv", "t,l\na,1\nb,-1\n"), {"text": "a", "label": -1}, "-1"),
    ],
)
def test_gold_labels_go_through_the_reader(predictor, reader, file, given, gold):
    options = {"num_labels": 2} if "skip_label_indexing" in reader else {}
    (output,) = predictor(reader, *file, **options).predict_batch_json([given])
    assert output["gold"] == gold


def test_a_label_that_the_reader_takes_for_another(predictor, caplog):
    """SST's 1 is negative, and so is 0 of two classes: said once."""
    predictor = predictor(TWO_CLASSES, "n", TREES)
    outputs = predictor.predict_batch_json([{"words": ["a"], "label": n} for n in (1, 1, 0, 4)])
    assert [output["gold"] for output in outputs] == ["1", "1", "0", "1"]
    (message,) = [text for text in caplog.messages if "is taken for the model's class" in text]
    assert message.startswith("the label '1'") and "not for '0' as in files of sst_tokens" in message


def test_unknown_labels_are_named_once(predictor, caplog):
    predictor = predictor(JSON, *TEXTS)
    inputs = [{"text": "a", "label": label} for label in ("pos", 1, "pos", "x")]
    outputs = [*predictor.predict_batch_json(inputs), *predictor.predict_batch_json(inputs)]
    assert [output["gold"] for output in outputs[:4]] == ["pos", "1", "pos", "x"]
    messages = [text for text in caplog.messages if "a label that the model does not know" in text]
    assert [text[:5] for text in messages] == ["'pos'", "'1' i"]


@pytest.mark.parametrize("before", ["", "  ", "\t", "\u3000\u3000", "\u00a0 "])
def test_offsets_are_those_of_the_line(predictor, examples, monkeypatch, before):
    predictor = predictor(*TAGGER["ner"])
    predictor._label_encoding = "BIOUL"
    tagged = [{"tags": ["O", "B-PER", "L-PER"]}]
    monkeypatch.setattr(predictor._model, "forward_on_instances", lambda some: tagged * len(some))
    line = f"{before}by Ada   May"
    (output,) = predictor.predict_batch_json(examples(predictor, "a.txt", line + "\n")[0])
    (span,) = output["spans"]
    assert line[span["start"] : span["end"]] == span["text"] == "Ada   May"


@pytest.mark.parametrize(
    "extra", [{"words": 4}, {"words": ["z"]}, {"sentence": "z"}, {"id": {}, "tags": 3, "premise": "z"}]
)
@pytest.mark.parametrize("keys", [{}, {"text_key": "body", "label_key": "stars"}])
def test_extra_keys_are_ignored_as_in_training(predictor, examples, extra, keys):
    text, label = keys.get("text_key", "text"), keys.get("label_key", "label")
    if keys:
        extra = {**extra, "text": "z", "label": "y"}
    line = json.dumps({**extra, text: "good film", label: "x"}) + "\n"
    predictor = predictor({**JSON, **keys}, "t.jsonl", line)
    (output,) = predictor.predict_batch_json(examples(predictor, "a.jsonl", line)[0])
    assert (output["words"], output["gold"]) == (["good", "film"], "x")


@pytest.mark.parametrize("model", ["texts", "trees"])
def test_words_for_allennlps_own_readers(predictor, model):
    """One reader's text_to_instance takes only text, and the other has no tokenizer."""
    predictor = predictor(*TAGGER[model])
    raw = predictor.predict_json({"sentence": "good film"})
    assert raw == predictor.predict_json({"words": ["good", "film"]})
    assert raw["words"] == ["good", "film"] and set(raw["probabilities"]) in ({"x", "y"}, {"0", "3"})


def test_several_texts_of_an_input(predictor):
    predictor = predictor(*TAGGER["ner"])
    assert predictor.predict_json({"words": 4, "text": "Ada May"})["words"] == ["Ada", "May"]


@pytest.mark.parametrize(
    "content",
    [
        "\ufeffAda May\n",
        "Ada\ufeff May\n",
        '\ufeff{"text": "\ufeffAda May"}\n',
        '{"text": "Ada \\ufeffMay"}\n',
        '{"words": ["\\uFEFFAda", "May"]}\n',
    ],
)
def test_byte_order_marks(predictor, examples, content):
    predictor = predictor(*TAGGER["ner"])
    for name in ("-", "a.txt"):
        inputs, _ = examples(predictor, name, content)
        assert predictor.predict_batch_json(inputs)[0]["words"] == ["Ada", "May"]


@pytest.mark.parametrize(
    "model, name, content, form",
    [
        ("texts", "a.txt", "good film\n\nbad\n", PLAIN),
        ("texts", "a.csv", "text,label\ngood film,x\n,y\n", TABLE),
        ("texts", "a.jsonl", '{"text": "a"}\n\n{"text": "b"}\n', "JSON, one object per line"),
        ("ner", "a.conll", COLUMNS, COLUMNS_FORM),
    ],
)
@pytest.mark.parametrize("ending, pack", [("GZ", gzip.compress), ("bz2", bz2.compress)])
def test_a_compressed_file_is_read_as_what_it_has(
    predictor, examples, model, name, content, form, ending, pack
):
    predictor = predictor(*TAGGER[model])
    expected = examples(predictor, name, content)
    assert examples(predictor, f"{name}.{ending}", pack(content.encode())) == expected
    assert expected[1] == form


def test_one_tag_a_word_from_a_model_that_tags_padding(predictor):
    tagger = predictor(*TAGGER["tags"])
    short, long = {"words": ["the"], "tags": ["DET"]}, {"words": ["the", "cat", "sees", "."]}
    outputs = tagger.predict_batch_json([short, long])
    assert outputs == [tagger.predict_json(short), tagger.predict_json(long)]
    assert [len(output["tags"]) for output in outputs] == [1, 4]
