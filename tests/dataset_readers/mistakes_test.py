"""What is wrong in a file is said with its name and line, and what is wrong in a config by its key."""

import bz2
import json

import pytest
from allennlp.common.checks import ConfigurationError

from slstm_allennlp.common.errors import CorpusError
from tests.dataset_readers.common import FORMATS, NoMarks, pair, reader_of, row

QUORA = "expected 4: 0 or 1, a sentence, another one and an id, with tabs between and no header line"
QUOTING = '("quoting": 3 takes quotation marks as they are)'
COLUMNS = "expected 2, a source and a target with '\\t' between"
OPEN = "a text begins with a quotation mark and does not end with one, expected a source and a target "
OPEN += QUOTING
NO_LABEL = 'expected entailment, neutral, contradiction or "-" '
NO_LABEL += "(pairs without a label are for `allennlp predict`)"
TEXT = 'expected {"text": "raw text", "label": "a class"}'
BEFORE = "and the lines before have labels, expected labels on all lines or on"
TREE = "expected one tree with a label from 0 to 4 on every node, such as (3 (4 good) (2 film))"
GOOD = {
    "quora_paraphrase": "1\ta\tb\t2",
    "seq2seq": 'c " \td',
    "snli": json.dumps(pair()),
    "sst_tokens": "(3 good)",
    "text_classification_json": '{"text": "a", "label": "x"}',
    "review": "1\tfine",
}
BAD_LINES = {
    "quora_paraphrase": [
        ("1\ta\tb", f"3 columns, {QUORA}"),
        ("id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate", f"6 columns, {QUORA}"),
        ("", f"1 column, {QUORA}"),
        ("2\ta\tb\t1", "the label is '2', expected 0 or 1, a sentence"),
        ("id\tsentence1\tsentence2\tlabel", "the label is 'id', expected 0 or 1"),
        ("1\t\tb\t1", "the first sentence is empty, expected text"),
        ("1\ta\t \t1", "the second sentence is empty, expected text"),
    ],
    "seq2seq": [
        ("a b", f"1 column, {COLUMNS}"),
        ("a\tb\tc", f"3 columns, {COLUMNS}"),
        ("", f"0 columns, {COLUMNS}"),
        ('"a\tb"', f"1 column, {COLUMNS} {QUOTING}"),
        ('" a\tb', OPEN),
        ('a\t" b', OPEN),
        ('" a " , he said\tb', OPEN),
        ("\tb", "the source is empty, expected text"),
        ("a\t ", "the target is empty, expected text"),
        ('a\t""', "the target is empty, expected text"),
        ("a\rb\tc", "a carriage return inside the line"),
    ],
    "snli": [
        (pair("hidden"), f'gold_label is "hidden", {NO_LABEL}'),
        (pair(None), f"gold_label is null, {NO_LABEL}"),
        ({"sentence1": "a", "sentence2": "b"}, f"gold_label is missing, {NO_LABEL}"),
        ({"gold_label": "neutral", "sentence2": "b"}, "sentence1 is missing, expected {"),
        (pair(hypothesis=None), "sentence2 is null, expected {"),
        (pair(premise=3), "sentence1 is 3, expected {"),
        (pair(premise=""), "the premise (sentence1) is empty, expected text"),
        (pair(hypothesis=" \t"), "the hypothesis (sentence2) is empty, expected text"),
        ("neutral\ta\tb", "not JSON (Expecting value at character 1), expected {"),
        ("", "not JSON (Expecting value"),
        ("[1]", "not a JSON object, expected {"),
    ],
    "sst_tokens": [
        ("a good film", f"not one tree in brackets, {TREE}"),
        ("(3 (2 a) (3 b)", "not one tree in brackets"),
        ("(3 (2 a) (3 b)))", "not one tree in brackets"),
        ("(3 a) (2 b)", "not one tree in brackets"),
        ("(3 a) b", "not one tree in brackets"),
        ("(5 (2 a) (3 b))", f"a node has the label '5', {TREE}"),
        ("(3 (2 a) (-1 b))", "a node has the label '-1'"),
        ("((2 a) (3 b))", "a node has the label ''"),
        ("(S (NP a) (VP b))", "a node has the label 'S'"),
        ("(3 (2 a) b)", f"the word 'b' has no node of its own, {TREE}"),
        ("(3 (2 a b) (2 c))", "the word 'b' has no node of its own"),
        ("(3 (2) (2 c))", f"a node with the label 2 has no word, {TREE}"),
    ],
    "text_classification_json": [
        ("", "not JSON (Expecting value at character 1), expected {"),
        ('{"text": ', "not JSON (Expecting value at character 10), expected {"),
        (r'{"text": "good \uD83D", "label": "x"}', "not JSON (half of a surrogate pair, as of an emoji"),
        ('{"text": ' + 100_000 * "[", "not JSON (maximum recursion depth exceeded"),
        ('{"text": ' + 5_000 * "1" + "}", "not JSON (Exceeds the limit"),
        ('{"text": "good", "text": "bad"}', 'not JSON (the key "text" occurs twice in an object), '),
        ('["a"]', "not a JSON object, expected {"),
        ({"label": "a"}, f"text is missing, {TEXT}"),
        ({"text": 3, "label": "a"}, f"text is 3, {TEXT}"),
        ({"text": "", "label": "a"}, "the text is empty, expected text"),
        ({"text": " \t", "label": "a"}, "the text is empty, expected text"),
        ({"text": "a", "label": ["x"]}, f'label is ["x"], {TEXT}'),
        ({"text": "a", "label": ""}, f'label is "", {TEXT}'),
        ({"text": "a", "label": 0.5}, f"label is 0.5, {TEXT}"),
        ({"text": "a"}, f"label is missing, {BEFORE}"),
        ({"text": "a", "label": None}, f"label is null, {BEFORE}"),
    ],
    "review": [
        ("1 no tab", "there is no tab, expected a label, a tab and a text"),
        ("2\ttext", "the label is '2', expected one of 0, 1"),
        ("", "there is no tab"),
    ],
}
PLACE = {"file": "toys.task.train", "part": "train", "dataset": "toys", "dev_size": 1}


@pytest.mark.parametrize(
    "name, line, message", [(name, *row) for name in GOOD for row in BAD_LINES[name]]
)
def test_a_bad_line_between_good_ones(read, name, line, message):
    line = line if isinstance(line, str) else json.dumps(line)
    place = PLACE if name == "review" else {"file": "corpus"}
    with pytest.raises(CorpusError) as error:
        read(name, f"{GOOD[name]}\n{line}\n{GOOD[name]}\n", **place)
    assert f"{place['file']}, line 2: {message}" in str(error.value)


def tagged(tags):
    """Return the sentence with these tags, after another one."""
    return "first O\n\n" + "".join(f"word {tag}\n" for tag in tags.split())


FIRST = row("1", "a", "_", "X", "X")
IOB1, IOB2 = {"coding_scheme": "IOB1"}, {"coding_scheme": "IOB2"}
BIOES = {"coding_scheme": "BIOES"}
OTHER = r"which IOB1 does not allow, expected IOB1"
FITS = r" \(the reader's coding_scheme %s fits the sentence\)$"
NONE_FITS = r" \(the coding_scheme of a reader can be IOB1, IOB2, BIOES\)$"
A = '{"text": "a", "label": %s}\n'
NO_MARKS, NUMBERS, UPOS = {"tokenizer": NoMarks()}, {"skip_label_indexing": True}, {"tag_column": "upos"}
UNMARKED = {"target_tokenizer": NoMarks()}
UNMARKED.update(target_add_start_token=False, target_add_end_token=False)
# Each message is a regular expression behind the name of the file.
TWO = ["text", "label"]
BAD_FILES = {
    "conll_ner": [
        (tagged("O B-PER"), f", line 4: the tag B-PER follows O, {OTHER}" + FITS % "IOB2", IOB1),
        (tagged("I-PER B-LOC"), f", line 4: the tag B-LOC follows I-PER, {OTHER}{NONE_FITS}", IOB1),
        ("# id 1\tx=y\n# _ _ O\nhit _ _ O\n", ", line 2: '# _ _ O' begins as a c", {"comment": "# "}),
        ("a\tO\n\n#Rome\tB-LOC\na\tO\n", ", line 3: .* begins as a com.*'# id'", {"comment": "#"}),
        (
            tagged("I-PER"),
            ", line 3: the tag I-PER follows O, which IOB2 does not allow, expected IOB2"
            + FITS % "IOB1",
            IOB2,
        ),
        (tagged("B-PER I-LOC"), ", line 4: the tag I-LOC follows B-PER", IOB2),
        (tagged("B-PER O"), ", line 4: the tag O follows B-PER", BIOES),
        (tagged("B-PER I-PER"), ", line 4: the end of the sentence follows I-PER", BIOES),
        (tagged("B-PER S-PER"), ", line 4: the tag S-PER follows B-PER", BIOES),
        (tagged("B-PER E-LOC"), ", line 4: the tag E-LOC follows B-PER", BIOES),
        (tagged("O E-LOC"), ", line 4: the tag E-LOC follows O", BIOES),
        (tagged("S-LOC I-LOC E-LOC"), ", line 4: the tag I-LOC follows S-LOC", BIOES),
        (
            tagged("O S-PER"),
            "4: the tag is 'S-PER', expected O or I-TYPE or B-TYPE" + FITS % "BIOES",
            IOB1,
        ),
        (tagged("B-PER E-PER"), f", line 3: the tag B-PER follows O, {OTHER}" + FITS % "BIOES", IOB1),
        (tagged("B-PER M-PER E-PER"), f", line 3: the tag B-PER follows O, {OTHER}{NONE_FITS}", IOB1),
        (
            tagged("B-PER B-PER"),
            ", line 4: the tag B-PER follows B-PER, .* expected BIOES" + FITS % "IOB2",
            BIOES,
        ),
        (tagged("B-"), ", line 3: the tag is 'B-', expected O or B-TYPE or I-TYPE", IOB2),
        (tagged("PER"), ", line 3: the tag is 'PER'", IOB2),
        (tagged("B"), ", line 3: the tag B names no type, expected one behind it, such as B-X", IOB2),
        (tagged("-PER"), ", line 3: the tag is '-PER'", BIOES),
        ("word\n", ", line 1: 1 column, expected 2", {}),
        ("a NN I-NP O\nb NN O\n", ", line 2: 3 columns, expected 4", {}),
        ("a O\n\nb NN O\n", ", line 3: 3 columns, expected 2", {}),
        ("a\tO\n\tO\n", ", line 2: the word is empty", {}),
        ("a\tO\nb\t\n", ", line 2: the tag is empty", {}),
        ("-DOCSTART- -X- O O\n\n", ": no sentence in the file", {}),
    ],
    "tagged_text": [
        (f"{FIRST}\n1\tb\tX", ", line 2: 3 columns between tabs, expected the 10", {}),
        (row("one", "a", "_", "X", "X"), ", line 1: 'one' is no word id, expected one such as 7", {}),
        (row("_", "a", "_", "X", "X"), ", line 1: the word has no id, expected", {}),
        (row("2-1", "a", "_", "X", "X"), ", line 1: '2-1' is no word id", {}),
        (f"{FIRST}\n{FIRST}", r", line 2: word id 1 follows 1, expected 2 \(is a blank line betw", {}),
        (row("1", "a", "_", "X", "_"), ", line 1: the word 'a' has no tag, expected .* column XPOS", {}),
        (row("1", "a"), "the word 'a' has no tag, expected one in the column UPOS", UPOS),
        (row("1", " ", "_", "X", "X"), ", line 1: the word is empty, expected one in column 2", {}),
        (row("1", "a", "_", "X", " "), "the word 'a' has no tag", {}),
        (f"{row('1-3', 'a')}\n{FIRST}", "2: the sentence ends with word 1, .* words up to 3", {}),
        (row("0.1", "a", "_", "X", "X"), "1: the sentence ends with word 0, .* words up to 1", {}),
        ("The DT\ndog NN", ", line 1: 1 column between tabs, expected the 10 of CoNLL-U", {}),
        ("# global.columns = ID WORD\n1\ta\n", ", line 1: the columns are ID WORD, expected FORM", {}),
        ("# global.columns = FORM UPOS\na\tX\n", ", line 2: the word 'a' has no tag", {}),
        ("# global.columns = FORM XPOS\na\tX\tY\n", ", line 2: 3 columns .* expected FORM XPOS", {}),
        ("# only a comment\n", ": no sentence in the file", {}),
    ],
    "columns": [
        ("The DT\nold dog NN", ", line 2: 3 columns, expected two: a word and its tag", {}),
        ("The DT\n\nNN", ", line 3: 1 column, expected two", {}),
        ("The\tDT\n\tNN", ", line 2: the word is empty, expected a word and its tag", {}),
        ("The\t", ", line 1: the tag is empty", {}),
        ("Token\tPOS\nThe\tDT\n", ", line 1: the names of columns .Token, POS., expected", {}),
        (
            'The\tDT\n""""\tPUNCT\n',
            ", line 2: the word is '\"\"\"\"', '\"' as CSV writes it, expected '\"' ",
            {},
        ),
        ("The\tDT\nNew York\n", ", line 2: there is no tab, as on the lines before", {}),
        (
            "# dev\nThe\tDT\n",
            'line 2: there is a tab, and none on the lines before.*"comment": "# "',
            {},
        ),
        ("The\tDT\n\n# 13\nA\tDT\n", 'line 3: there is no tab.*"comment": "# "', {}),
        ("# 12\nThe DT\n\n# 13\nA DT\n", 'line 1: every sentence begins.*# 12.*"comment": "# "', {}),
        ("# id 0\tdomain=en\na\tX\n\n# id 1\tdomain=en\nb\tX\n", "line 1: every sentence beg", {}),
        ("# newdoc\na X\n\nb Y\n", 'line 1: a sentence begins.*# newdoc.*"comment": "# "', {}),
        ("a\tX\n\n#\tnewpar\nb\tY\n", r'line 3: a sentence begins.*"comment": "#.t"', {}),
        ("#\tx\ty\nA\tDT\n", r'3 columns, expected two.*"comment": "#.t" of the reader', {}),
        ('"The" "DT"\n"old" "JJ"\n"dog" "NN"\n', ", line 1: every word is in quotation marks", {}),
        ('The\tDT\n"say ""x"""\tNN\n', ", line 2: the word is .*, 'say \"x\"' as CSV writes it", {}),
        ('"word" "tag"\n"the" "DT"\n', ", line 1: the names of columns", {}),
        ("form\tupostag\na\tX\n", ", line 1: the names of columns", {}),
        ("s1\tA\ns1\tB\n\n" * 5, ", line 1: the first column has .* .s1, s1, s1", {}),
        ("".join(f"s{n}\tA\ns{n}\tB\n\n" for n in (4, 2) * 3), "names or offsets .s4, s4, s2", {}),
        (
            "".join(f"T{n}\tA\nT{n + 1}\tB\n\n" for n in (5, 90, 40) * 2),
            "names or offsets .T5, T6, T9",
            {},
        ),
        ("".join(f"{n}-{n + 3}\tA\n" for n in range(0, 50, 5)), r"offsets \(0-3, 5-8, ", {}),
        ("1 CD\n2 CD\n\n1 CD\n", ", line 1: the first column has running numbers", {}),
        ("1. A\n2. A\n\n1. A\n", ", line 1: the first column has running numbers", {}),
        ("T1 A\nT2 A\n\nT3 A\n", "running numbers", {}),
        ("1-1 A\n1-2 A\n\n2-1 A\n", "running numbers", {}),
        ("0 A\n\n1 A\n2 A\n", r"running numbers.* \(0, 1, 2, …\).*word_column", {}),
        ("f A\n" * 10, ", line 1: the first column has .*f, f, f.*word_column", {}),
        ("de:a A\n" * 3, ", line 1: every word begins with 'de:'.*word_prefix", {}),
        ("be-x-old:a A\n" * 3, ", line 1: every word begins with 'be-x-old:'.*word_prefix", {}),
        ("simple:a A\n" * 3, ", line 1: every word begins with 'simple:'.*word_prefix", {}),
        *(
            (f"1 a A\n{each} b B\n2 c C\n", f"2: {each} is the id of .* of CoNLL-U", {"word_column": 2})
            for each in ("2-3", "1.1")
        ),
        ("de:a A\nen:b B", ", line 2: the word is 'en:b'", {"word_prefix": "de:"}),
        *(
            ("a A\n", ", line 1: 2 columns, expected 3 on every line", {key: number})
            for key, number in (("tag_column", 3), ("word_column", 2))  # the tag is behind the word
        ),
        ("# x y z\n", '4 columns, expected two.*"comment": "# " of the reader', {}),
        ("#begin document (x)\na X\n", '3 columns, expected two.*"comment": "#" of the reader', {}),
        ("#FORMAT=WebAnno TSV 3\na X\n", '3 columns, expected two.*"comment": "#" of the reader', {}),
        ("#id: 1 x\na X\n", '3 columns, expected two.*"comment": "#id" of the reader', {}),
        ("\n\n-DOCSTART- O\n", ": no sentence in the file, expected at least one", {}),
        ("_\tX\n" * 10, ": 10 of 10 words are _, expected words; some treebanks", {}),
        ("_\tX\n\n_\tX\na\tX\n", ": 2 of 3 words are _, expected words; some treebanks are distr", {}),
        ("_\tX\n" * 100 + "\n" + "a\tX\n" * 500, ": 100 of 100 words are _", {}),
    ],
    "inline": [
        ("a/DT\nb/NN\rc/NN\n", ", line 2: a carriage return inside the line, expected", {}),
        ("a/DT\nb c/NN", ", line 2: 'b' has no tag, expected word/TAG", {}),
        (r"and\/or", r"has no tag, expected word/TAG \(the separator is '/'\)", {}),
        ("a/DT /NN", ", line 1: '/NN' has an empty word", {}),
        ("a/", ", line 1: 'a/' has an empty tag", {}),
        ("[b/ns c/n]/nt d/v", r"line 1: 'c/n\]/nt' ends brackets around several words", {}),
        ("[b/ns c/n]nt d/v", r"line 1: 'c/n\]nt' ends brackets around several words", {}),
    ],
    "penn_treebank_pos": [
        ("The/DT\ndog\n", ", line 2: 'dog' is no token, expected word/TAG", {}),
        ("The/DT dog/\n", ", line 1: 'dog/' is no token", {}),
        ("dog/|NN\n", r", line 1: 'dog/\|NN' is no token", {}),
        ("/NN\n", ", line 1: '/NN' is no token", {}),
        ("1\\/2\n", r", line 1: '1\\\\/2' is no token", {}),
        ("[ ]\n", ": no word in the file", {}),
        ("\n======\n", ": no word in the file", {}),
    ],
    "csv": [
        ("text,label\u200b\na,x\ntext,label\u200b\n", ", line 3: the names of the columns", {}),
        ("a,b\n1,2\n", ", line 1: the columns are a, b, expected the columns text and label", {}),
        ("sep=;\na;b\n1;2\n", ", line 2: the columns are a, b, expected the columns text and label", {}),
        ("\n\nsentence,review\na,b\n", ", line 3: the columns sentence and review all fit", {}),
        (
            "text,label\na,x\n",
            ", line 1: .* on the first line alone or in the key col",
            {"columns": TWO},
        ),
        ("text:label\na:b\n", ", line 1: the columns are text:label, expected .*delimiter", {}),
        ("sentence,review\na,b\n", ", line 1: the columns sentence and review all fit", {}),
        ("Text,text,label\na,b,c\n", ", line 1: the columns Text and text both fit", {}),
        ("text,text\na,b\n", ", line 1: the columns are text, text, expected different", {}),
        ('text,label\na,x\n"b\n\n",y,z\n', ", line 3: 3 columns, expected 2 with ',' bet.*: text", {}),
        ("text,label\na,x\n\n  \n\u00a0\nb,y,z\n", ", line 6: 3 columns, expected 2 with", {}),
        ('text,label\na,x\n""\n', ", line 3: 1 column, expected 2 with", {}),
        (
            "a\tx\n",
            ", line 1: 1 column, expected 3 with ',' between: a, text",
            {"columns": ["a", "text", "b"]},
        ),
        ("good, ok;x\n", ", line 1: ';' and ',' both fit, expected the reader's deli", {"columns": TWO}),
        (f"{300 * 'a'},b\n1,2\n", f", line 1: the columns are {100 * 'a'}…, expected the", {}),
        ('text,label\na,x\n"b,y\n', ", line 3: unexpected end of data, .*quoting", {}),
        ('text,label\n"a \\"b\\" c",x\n', ", line 2: .* expected a quotation mark .* doubled", {}),
        ('text,label\n"a" b,x\n', ", line 2: .* expected fields with ',' between; .quoting", {}),
        ("text,label\n ,x\n", ", line 2: the text is empty", {}),
        ("comment; free,label\ngood; bad,x\n", ", line 1: the columns are comment; free, label", {}),
        ("text,label\na,x\nb\rc,y\n", ", line 3: a carriage return outside quotation marks", {}),
        *(
            (f"{header}\na,x,1\n{again}\n", ", line 3: the names of the columns, expected them on", {})
            for header, again in (
                ("text,label,id", "text,label,id"),
                ("text,label,id", "Label,ID,Text"),
                ("text,label,id", "text,label,Unnamed: 0"),
            )
        ),
        ("v,text,label,\n1,a,x,\n2,b,x,y\n", ", line 3: column 4 is 'y' and has no name in the", {}),
        ("text,label,answer\na,x,accept\nb,y,reject\n", ", line 3: answer is 'reject', as of Pro", {}),
        ("text,label\ra,x\r", ", line 1: a carriage return inside the line, expected a newline", {}),
        (bz2.compress(b"text,label\na,x\n"), ", line 1: the file is compressed by bzip2", {}),
        (b"\x28\xb5\x2f\xfd\x04", ", line 1: the file is compressed by Zstandard", {}),
        ("PK\x03\x04x", ", line 1: the file is an Excel workbook or another archive", {}),
        ("text,label\na\0,x\n", ", line 2: the file is UTF-16 or no text, expected text in", {}),
        ("text,label\na,x\nb,\n", ', line 3: label is "", and the lines before have labels', {}),
        (
            "text,stars\na,\nb,x\n",
            ', line 2: stars is "", and line 3 has a label, expected labels on all',
            {"label": "stars"},
        ),
        (
            "__label__b a, c\n__label__d e\n",
            ", line 1: looks like fastText's format, expected a table",
            {},
        ),
        ('{"text": "a", "label": "x"}\n', ", line 1: looks like JSON lines, expected a table, or a", {}),
        ("text,class\na,x\nb,\n", ', line 3: class is "", and the lines before have labels', {}),
    ],
    "tsv": [('text\tlabel\n"a\tx\nb"\ty\n', ", line 2: a field in quotation marks has a tab", {})],
    "jsonl": [
        ('{"text": "a", "label": 0.5}\n', ", line 1: label is 0.5, expected a string", {}),
        ('{"text": "a", "label": ["x", "y"]}\n', r', line 1: label is \["x", "y"\], expected', {}),
        ('{"text": "a", "label": []}\n', r", line 1: label is \[\], expected", {}),
        ('{"text": ["a"], "label": "x"}\n', r', line 1: text is \["a"\], expected', {}),
        ("text\n", ", line 1: not JSON", {}),
        (json.dumps({"text": {"0": 300 * "a"}}), 'line 1: text is {"0": "a{93}…, expected text', {}),
        ('[\n{"text": "a"}]\n', r"line 1: not JSON \(the start of a list; JSON lines have one", {}),
    ],
    # Of a whole file, or after its tokenizer.
    "snli": [
        (json.dumps(pair(premise="…")), r"1: .* \(sentence1\) is '…', which has no tokens", NO_MARKS),
        ((json.dumps(pair("-")) + "\n") * 2, 'none of 2 pairs has a gold label, all have "-"', {}),
    ],
    "sst_tokens": [
        ("(3 a)\n(2 …)\n", ", line 2: '…' has no tokens, expected words", NO_MARKS),
        ("(2 a)\n(2 b)\n", ": no sentences but 2 neutral ones, .* 2-class", {"granularity": "2-class"}),
        ("\n\n", ": no tree in the file, expected one tree", {}),
    ],
    "seq2seq": [("a\t…\n", ", line 1: the target is '…', which has no tokens", UNMARKED)],
    "text_classification_json": [
        ('{"text": "a"}\n' + A % '"a"', ", line 1: label is missing, and line 2 has a label", {}),
        ('{"text": "?!", "label": "a"}', r", line 1: the text is '\?!', which has no tokens", NO_MARKS),
        *(
            (A % label, "1: label is .*, expected a number from 0 on, since skip_label_ind", NUMBERS)
            for label in ('"x"', "-1", "1.0", "[1]", "true")
        ),
    ],
}


@pytest.mark.parametrize(
    "form, content, message, options", [(form, *row) for form in BAD_FILES for row in BAD_FILES[form]]
)
def test_a_bad_file(read, form, content, message, options):
    name, place = FORMATS.get(form, (form, {}))
    file = place.get("file", "corpus")
    with pytest.raises(CorpusError, match=rf"{file}.*{message}"):
        read(name, content, **place, **options)


KNOWN = "expected one that Python knows"
IN_COLUMNS = {"format": "columns"}


@pytest.mark.parametrize(
    "name, options, message",
    [
        ("conll_ner", {"coding_scheme": "BIO"}, "is 'BIO', expected one of IOB1, IOB2, BIOES"),
        ("movie_review", {"encoding": "utf-9"}, f"encoding is 'utf-9', {KNOWN}"),
        ("movie_review", {"encoding": "hex"}, f"encoding is 'hex', {KNOWN}"),
        ("movie_review", {"encoding": "utf-16"}, f"encoding is 'utf-16', {KNOWN} and in which a"),
        ("movie_review", {"folds": 2}, "folds is 2, expected at least 3"),
        ("movie_review", {"fold": 10}, "fold is 10, expected one from 0 to 9"),
        ("movie_review", {"fold": -1}, "fold is -1"),
        ("review", {"dataset": "toys", "dev_size": 0}, "dev_size is 0, expected at least 1"),
        ("table", {"text_a": "a"}, "text_a 'a' and text_b None, expected text, or text_a and text_b"),
        ("table", {"text": "t", "text_a": "a", "text_b": "b"}, "expected text, or text_a and text_b"),
        ("table", {"text_a": "a", "text_b": "a"}, "the columns are a, a, expected different ones"),
        ("table", {"columns": ["", "", "a", "a"]}, "the columns are a, a, expected different ones"),
        ("table", {"delimiter": ";;"}, "delimiter is ';;', expected one character"),
        ("table", {"encoding": "x"}, "encoding is 'x'"),
        ("conll_ner", {"encoding": "utf-16"}, f"encoding is 'utf-16', {KNOWN}"),
        ("tagged_text", {"format": "conll"}, "is 'conll', expected one of conllu, columns, inline"),
        ("tagged_text", {"tag_column": "pos"}, "tag_column is 'pos', expected upos or xpos"),
        ("tagged_text", {"separator": ""}, "separator is '', expected one character"),
        ("tagged_text", {"separator": "\\"}, "expected one character"),
        ("tagged_text", {"tag_column": 3}, "tag_column is 3, expected upos or xpos, or a number"),
        ("tagged_text", {**IN_COLUMNS, "tag_column": 0}, "tag_column is 0, expected a number from 1"),
        ("tagged_text", {"word_column": 2}, "word_column is for the format columns, not conllu"),
        ("tagged_text", {**IN_COLUMNS, "comment": ""}, "comment is '', expected how a comment begins"),
    ],
)
def test_arguments_out_of_range(name, options, message):
    with pytest.raises(ConfigurationError, match=message):
        reader_of(name, **options)
