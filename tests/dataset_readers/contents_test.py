"""What a file becomes: the words, tags and labels of its instances."""

import gzip
import json
import logging
import lzma

import pytest

from slstm_allennlp.dataset_readers import TableReader
from tests.dataset_readers.common import FORMATS, NoMarks, pair, row


def in_lines(*examples):
    return "".join(json.dumps(example) + "\n" for example in examples)


def with_tags(tags):
    return "".join(f"word {tag}\n" for tag in tags.split())


TEXTS = [("a, b", "x"), ("c", "y")]
HYPOTHESIS = {"sentence1": "a", "sentence2": "b", "gold_label": "x"}
PAIRS = [("a", "b", "same"), ("c", "d", "1")]
SIGNS = [("a", "b", "+"), ("c", "d", "-"), ("e", "f", "hidden")]
CSV, TSV, TXT, JSONL = ({"file": f"table.{ending}"} for ending in ("csv", "tsv", "txt", "jsonl"))
ROWS = [
    *(("1-2", "Don't"), ("1", "Do", "do", "AUX", "VB"), ("2", "n't", "not", "PART", "RB")),
    *(("2.1", "you", "you", "PRON", "PRP"), ("3", "New  York", "eat", "VERB", "VB")),
    ("4", "#", "#", "PUNCT", "."),
]
CONLLU = "\n".join(["# text = Don't eat.", *(row(*each) for each in ROWS), "", ""])
CONLLU += "\n" + row("1", "Où", "où", "ADV", "WRB") + "\n"
PLUS = "# global.columns = FORM LEMMA UPOS\n\na\tle\tDET\nb\tchat\tNOUN\n"
MARKED_PLUS = (
    "\ufeff# global.columns = ID UPOS FORM X\n# text = a b\n1\tDET\ta\t_\n2\tNOUN\t\ufeffb\t_\n"
)
TWO_ROWS = f"{row('1', 'a', '_', 'DET')}\n{row('2', 'b', '_', 'NOUN')}\n"
TWO_WORDS = [("a b", "DET NOUN")]
UPOS = {"tag_column": "upos"}
ALL = "-DOCSTART- -X- O O\n\nThe\tDT\ndog\tNN\n\t\nNew York\tNNP\n\n\n-DOCSTART-\tO\nIt\tPRP\nran\tVBD"
EN = "en:a A\nen:b B\nen:en: C\n"
IOB1, IOB2, BIOES = ({"coding_scheme": scheme} for scheme in ("IOB1", "IOB2", "BIOES"))
# GermEval 2014, whose last column has nested entities, and WNUT-17, with lone tabs between sentences.
GERMEVAL = "#\thttp://x.de\n1\tAda\tB-PER\tO\n2\tMay\tI-PER\tB-LOC\n\n#\tx\n1\tTom\tO\tO\n"
WNUT = "New\tB-location\nYork\tI-location\n\t\nHi\tO\n\n \nthere\tO\n"
QUOTED = '1\t" yes\the said " yes "\t0\n0\t"no" , no\tb\t1\n'
EXAMPLES = [{"text": "Who ?", "label": "x", "id": 7}, {"text": "It .", "label": 3}]
EXAMPLES += [{"text": "a", "label": label} for label in (True, "x ", "\tx", "x\u00a0", " 1", 1, 5.0)]
VALUES = [("Who ?", "x"), ("It .", "3"), *(("a", label) for label in ("True", *"xxx11", "5.0"))]
NUMBERS = {"text_key": "body", "label_key": "class", "skip_label_indexing": True}
# The rows are a file's content, what is read, and options of the reader.
CONTENTS = {
    "table": [
        ('text,label\n"a, b",x\nc,y\n', TEXTS, CSV),
        ('\ufeffid,Review,Sentiment\r\n1,"a,\r\n\r\nb",x \r\n\r\n2,c,y\r\n', TEXTS, CSV),
        ("label\ttext\tid\nx\ta, b\t1\ny\tc\t\n", TEXTS, TSV),
        ('tweet\tclass\n"a, b"\tx\nc\ty\n', TEXTS, TXT),
        ('{"text": "a, b", "label": "x", "n": 4}\n{"label": "y ", "text": "c"}\n', TEXTS, JSONL),
        *(
            ('{"text": "a, b", "label": "x"}\n{"label": "y", "text": "c"}\n', TEXTS, {"file": file})
            for file in ("corpus.ndjson", "corpus.jl")
        ),
        ("a;b\na, b;x\nc;y\n", TEXTS, {**CSV, "delimiter": ";", "text": "a", "label": "b"}),
        ("text;label\na, b;x\nc;y\n", TEXTS, CSV),
        ("Warm, or?;b\na, b;x\nc;y\n", TEXTS, {**CSV, "text": "Warm, or?", "label": "b"}),
        # A spreadsheet ends in empty rows.
        ('text,label\n"a, b",x\n , \nc,y\n,\n', TEXTS, CSV),
        # doccano and Prodigy have lists of labels.
        ('{"text": "a, b", "label": ["x"]}\n{"label": ["y"], "text": "c"}\n', TEXTS, JSONL),
        ("Text;Label;Note, free\na, b;x;\nc;y;n\n", TEXTS, CSV),
        ('"a, b",x\nc,y\n', TEXTS, {**CSV, "columns": ["text", "label"]}),
        ("a, b\tx\nc\ty\n", TEXTS, {**TSV, "columns": ["text", "label"]}),
        ("a, b;x\nc;y\n", TEXTS, {**CSV, "columns": ["text", "label"]}),
        ("a, b;x\n\nc;y\n", TEXTS, {**CSV, "columns": ["text", "label"]}),
        ('"a, b";"x"\n"c";"y"\n', TEXTS, {**CSV, "columns": ["text", "label"]}),
        # A file of fastText's begins so, too, but has no columns.
        (
            "__label__x a,x\nc,y\n",
            [("__label__x a", "x"), ("c", "y")],
            {**CSV, "columns": ["text", "label"]},
        ),
        ("x,a; b\ny,c\n", [("a; b", "x"), ("c", "y")], {**CSV, "columns": ["label", "text"]}),
        (
            f'1,"a; b;\nc{200000 * "a"}",x\n',
            [(f"a; b; c{200000 * 'a'}", "x")],
            {**CSV, "columns": ["id", "text", "label"]},
        ),
        (
            in_lines(HYPOTHESIS, {**HYPOTHESIS, "gold_label": "-"}),
            [("b", "x")],
            {**JSONL, "text": "sentence2"},
        ),
        ('text\tlabel\n"a\tx\nb"\ty\n', [('"a', "x"), ('b"', "y")], {**TSV, "quoting": False}),
        ("text,label\né,x\n".encode("latin-1"), [("é", "x")], {**CSV, "encoding": "latin-1"}),
        ("ID,id,text,label\n1,2,a,x\n", [("a", "x")], CSV),
        ("text,label,gold_label\na,x,y\n", [("a", "y")], {**CSV, "label": "gold_label"}),
        ("text,sentence,label,class\na,b,x,y\n", [("a", "x")], CSV),
        ("\n\ntext;label\nc;y\n", [("c", "y")], CSV),
        ("sep=;\r\ntext;label\r\nc;y\r\n", [("c", "y")], CSV),
        ("sep=,\ntext;label\nc;y\n", [("c", "y")], {**CSV, "delimiter": ";"}),
        ('"sep=;;"\ntext;label\nc;y\n', [("c", "y")], {"file": "TABLE.CSV"}),
        ("\ufeffSEP=|\ntext|label\na, b|x\nc|y\n", TEXTS, CSV),
        (gzip.compress(b"text,label\nc,y\n", mtime=0), [("c", "y")], {"file": "table.csv.gz"}),
        (lzma.compress(b'{"text": "c", "label": "y"}'), [("c", "y")], {"file": "table.jsonl.xz"}),
        (f"text,label\n{'c' * 200_000},y\n", [("c" * 200_000, "y")], CSV),
        ('text, label,,\n"c, d", "y",,\n', [("c, d", "y")], CSV),
        ("text_a,text_b,label\na,b,same\nc,d,1\n", PAIRS, CSV),
        ("Question1\tquestion2\tis_duplicate\na\tb\tsame\nc\td\t1\n", PAIRS, TSV),
        (
            in_lines(*(dict(zip(("premise", "hypothesis", "label"), one)) for one in PAIRS)),
            PAIRS,
            {"file": "table.json"},
        ),
        # Under another name than SNLI's they are labels.
        ("text_a,text_b,label\na,b,+\nc,d,-\ne,f,hidden\n", SIGNS, CSV),
        # SNLI: the annotators did not agree.
        ("gold_label\ttext_a\ttext_b\n-\tx\ty\nsame\ta\tb\n1\tc\td\n", PAIRS, TSV),
        ("l,x,y\nsame,a,b\n1,c,d\n", PAIRS, {**CSV, "text_a": "x", "text_b": "y", "label": "l"}),
    ],
    "tagged_text": [
        (CONLLU, [("Do n't New  York #", "VB RB VB ."), ("Où", "WRB")], {}),
        (CONLLU, [("Do n't New  York #", "AUX PART VERB PUNCT"), ("Où", "ADV")], UPOS),
        (PLUS, TWO_WORDS, UPOS),
        (MARKED_PLUS, TWO_WORDS, UPOS),
        (f"{TWO_ROWS}\n{PLUS}", TWO_WORDS * 2, UPOS),
    ],
    "columns": [
        (ALL, [("The dog", "DT NN"), ("New York", "NNP"), ("It ran", "PRP VBD")], {}),
        # -DOCSTART- ends a sentence, and only it.
        ("a A\n-DOCSTART- O\nb B\n-DOCSTART-ed C\n", [("a", "A"), ("b -DOCSTART-ed", "B C")], {}),
        ("-docstart- o\n\na A\n", [("a", "A")], {}),  # CoNLL-2003 in lower case
        ("1-1 0-2 a A\n1-2 3-4 b B\n", [("a b", "A B")], {"word_column": 3}),  # WebAnno
        ("1 1 X\n. . Y\n1.1 1.1 X\n", [("1 . 1.1", "X Y X")], {"word_column": 2}),  # lemmas
        ("0.5 1 a A\n1 2.5 b B\n", [("a b", "A B")], {"word_column": 3}),  # seconds
        # A no-break space does not end a column, and a line separator does not end a line.
        ("a\u00a0b NN\nc\u2028d NN\n", [("a\u00a0b c\u2028d", "NN NN")], {}),
        ("\ufeffa A \n\u3000 B\n\u00a0 C\u00a0\n", [("a \u3000 \u00a0", "A B C")], {}),
        (b"\xef\xbb\xbfa DT\r\nb NN\r\n", [("a b", "DT NN")], {}),
        ("3 CD\n\n17 CD\n", [("3", "CD"), ("17", "CD")], {}),
        ("1 Ada X NNP\n2 ran X VBD\n", [("Ada ran", "NNP VBD")], {"word_column": 2}),
        ("Ada\tNNP\tX\nran\tVBD\tX\n", [("Ada ran", "NNP VBD")], {"tag_column": 2}),
        ("A x a\nB x b\n", [("a b", "A B")], {"word_column": 3, "tag_column": 1}),
        ("1 CD\n2 CD\n", [("1 2", "CD CD")], {"word_column": 1}),
        ("B1 X\nB3 X\n\nw1x X\nw2x X\n", [("B1 B3", "X X"), ("w1x w2x", "X X")], {}),
        ("Zoë A\n\né B\n".encode("latin-1"), [("Zoë", "A"), ("é", "B")], {"encoding": "latin-1"}),
        (EN, [("a b en:", "A B C")], {"word_prefix": "en:"}),
        (EN, [("en:a en:b en:en:", "A B C")], {"word_prefix": ""}),
        ("# 5 = 6 7\na A\n# B\n", [("a #", "A B")], {"comment": "# "}),
        # A sentence may repeat a word, and one of several may begin with this character.
        ("# A\nha A\nha A\n\nha A\nha A\n", [("# ha ha", "A A A"), ("ha ha", "A A")], {}),
        # An underscore is a word.
        ("_\tX\na\tX\n", [("_ a", "X X")], {}),
        ("_\tX\n", [("_", "X")], {}),
        ("a\tX\n_\tX\n_\tX\nb\tX\n", [("a _ _ b", "X X X X")], {}),
    ],
    "inline": [
        ("\nThe/DT dog/NN ./.\n\n", [("The dog .", "DT NN .")], {}),
        ("The_DT snake_case_NN", [("The snake_case", "DT NN")], {"separator": "_"}),
        (r"1\/2/CD and\/or/CC", [("1/2 and/or", "CD CC")], {}),
        ("1/2/CD", [("1/2", "CD")], {}),
        ("  a/DT \t b/NN  ", [("a b", "DT NN")], {}),
    ],
    "conll_ner": [
        *(
            (with_tags(tags), [(" ".join(["word"] * len(tags.split())), bioul)], scheme)
            for scheme, tags, bioul in (
                (IOB1, "I-PER I-PER O I-LOC", "B-PER L-PER O U-LOC"),
                (IOB1, "I-PER B-PER I-PER B-PER", "U-PER B-PER L-PER U-PER"),
                (IOB1, "I-PER I-LOC I-LOC", "U-PER B-LOC L-LOC"),
                (IOB2, "B-PER I-PER I-PER O B-LOC", "B-PER I-PER L-PER O U-LOC"),
                (IOB2, "B-PER B-PER I-PER", "U-PER B-PER L-PER"),
                (BIOES, "B-PER I-PER E-PER S-LOC O S-PER", "B-PER I-PER L-PER U-LOC O U-PER"),
                (BIOES, "B-PER I-PER L-PER U-LOC O U-PER", "B-PER I-PER L-PER U-LOC O U-PER"),
            )
        ),
        (
            GERMEVAL,
            [("Ada May", "B-PER L-PER"), ("Tom", "O")],
            {"word_column": 2, "tag_column": 3, "comment": "#\t", **IOB2},
        ),
        (WNUT, [("New York", "B-location L-location"), ("Hi", "O"), ("there", "O")], IOB2),
    ],
    "sst_tokens": [
        # Escapes stay and no-break spaces part, as in AllenNLP's reader.
        ("(3 (2 9\u00a01\\/2) (2 w\\*\\*s))\n\n \n", [("9 1\\/2 w\\*\\*s", "3")], {}),
        ("( 4\t(2 a)(2 b) )\r\n", [("a b", "4")], {}),
    ],
    "quora_paraphrase": [(QUOTED, [('" yes', 'he said " yes "', "1"), ('"no" , no', "b", "0")], {})],
    "snli": [
        (in_lines(pair("neutral", "…")), [("…", "c d", "neutral")], {}),
        (in_lines(pair("neutral", "a…")), [("a", "c d", "neutral")], {"tokenizer": NoMarks()}),
    ],
    "text_classification_json": [
        (in_lines(*EXAMPLES), VALUES, {}),
        ("\ufeff" + in_lines(*EXAMPLES).replace("\n", "\r\n"), VALUES, {}),
        (in_lines({"body": "a b", "class": "1"}), [("a b", 1)], NUMBERS),
    ],
}


@pytest.mark.parametrize(
    "form, content, expected, options",
    [(form, *each) for form, rows in CONTENTS.items() for each in rows],
)
def test_what_is_read(read, caplog, form, content, expected, options):
    caplog.set_level(logging.INFO)
    name, place = FORMATS.get(form, (form, {}))
    assert read(name, content, **{**place, **options}) == expected
    assert "no text has a label" not in caplog.text
    if name == "table":
        assert [text for text in caplog.messages if f"{options['file']}: the columns " in text]


NO_LABELS = in_lines({"text": "a b"}, {"text": "c", "label": None})


@pytest.mark.parametrize(
    "name, file, content",
    [
        ("table", "corpus.csv", "text\na b\nc\n"),
        ("table", "corpus.jsonl", NO_LABELS),
        ("text_classification_json", "corpus.jsonl", NO_LABELS),
    ],
)
def test_texts_without_labels(read, caplog, name, file, content):
    assert read(name, content, file) == [("a b",), ("c",)]
    message = f"{file}: no text has a label, so the file cannot be used for training or evaluation"
    assert message in caplog.text


TREES = "(3 (2 the) (3 (3 good) (2 film)))\n(2 (2 a) (2 film))\n(1 dull)\n"
TWO = {"granularity": "2-class"}
OF_PHRASES = {**TWO, "use_subtrees": True}
LEFT_OUT = '2 of 4 pairs have no gold label ("-") and were left out'


@pytest.mark.parametrize(
    "name, content, number, message, options",
    [
        ("snli", in_lines(pair("-"), pair("neutral"), pair("-", ""), pair("neutral")), 2, LEFT_OUT, {}),
        ("snli", in_lines(pair("neutral")), 1, None, {}),
        ("sst_tokens", TREES, 2, "1 of 3 sentences are neutral and were left out for 2-class", TWO),
        ("sst_tokens", TREES, 4, "5 of 9 phrases are neutral and were left out for 2-class", OF_PHRASES),
        ("sst_tokens", TREES, 3, None, {"granularity": "3-class"}),
        ("sst_tokens", TREES, 9, None, {"granularity": "3-class", "use_subtrees": True}),
    ],
)
def test_what_is_left_out_is_counted(read, caplog, name, content, number, message, options):
    caplog.set_level(logging.INFO)
    assert len(read(name, content, **options)) == number
    found = [text.partition("corpus: ")[2] for text in caplog.messages if "left out" in text]
    assert found == ([] if message is None else [message])


def test_labels_of_pairs_are_in_the_given_namespace():
    instance = TableReader(label_namespace="own_labels").text_to_instance("a", "b", "x")
    assert instance["label"]._label_namespace == "own_labels"
