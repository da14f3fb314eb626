import pytest
from allennlp.common.checks import ConfigurationError
from allennlp.data import Token, Vocabulary
from allennlp.data.dataset_readers.dataset_reader import WorkerInfo

from slstm_allennlp.common.errors import CorpusError
from slstm_allennlp.dataset_readers import TaggedTextReader


def row(*columns):
    return "\t".join([*columns, *"_" * (10 - len(columns))])


CONLLU = "\n".join(
    [
        "# text = Don't eat.",
        row("1-2", "Don't"),
        row("1", "Do", "do", "AUX", "VB"),
        row("2", "n't", "not", "PART", "RB"),
        row("2.1", "you", "you", "PRON", "PRP"),
        row("3", "New  York", "eat", "VERB", "VB"),
        row("4", "#", "#", "PUNCT", "."),
        "",
        "",
        row("1", "Où", "où", "ADV", "WRB"),
        "",
    ]
)


@pytest.fixture
def read(tmp_path):
    """Read text or bytes with a reader of these options, and return (words, tags) pairs."""

    def run(content, **options):
        path = tmp_path / "corpus.txt"
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        return [pairs(instance) for instance in TaggedTextReader(**options).read(path)]

    return run


def pairs(instance):
    words = [token.text for token in instance["tokens"].tokens]
    assert instance["metadata"].metadata == {"words": words}
    return words, list(instance["tags"].labels)


def test_conllu(read):
    assert read(CONLLU, tag_column="xpos") == [
        (["Do", "n't", "New  York", "#"], ["VB", "RB", "VB", "."]),
        (["Où"], ["WRB"]),
    ]
    assert read(CONLLU, tag_column="upos")[1] == (["Où"], ["ADV"])


def test_columns(read):
    text = (
        "-DOCSTART- -X- O O\n\nThe DT\ndog\tNN\n\t\nNew York\tNNP\n\n\n-DOCSTART-\tO\nIt   PRP\nran  VBD"
    )
    assert read(text, format="columns") == [
        (["The", "dog"], ["DT", "NN"]),
        (["New York"], ["NNP"]),
        (["It", "ran"], ["PRP", "VBD"]),
    ]


def test_docstart_ends_a_sentence_and_only_it(read):
    assert read("a DT\n-DOCSTART- O\nb NN\n-DOCSTART-ed VBN\n", format="columns") == [
        (["a"], ["DT"]),
        (["b", "-DOCSTART-ed"], ["NN", "VBN"]),
    ]


def test_columns_keep_unusual_white_space_in_words(read):
    """A no-break space does not end a column, and a line separator does not end a line."""
    assert read("a\u00a0b NN\nc\u2028d NN\n", format="columns") == [
        (["a\u00a0b", "c\u2028d"], ["NN", "NN"])
    ]


@pytest.mark.parametrize(
    "options, content, expected",
    [
        ({"word_column": 2}, "1 Ada X NNP\n2 ran X VBD\n", (["Ada", "ran"], ["NNP", "VBD"])),
        ({"tag_column": 2}, "Ada\tNNP\tX\nran\tVBD\tX\n", (["Ada", "ran"], ["NNP", "VBD"])),
        ({"word_column": 3, "tag_column": 1}, "A x a\nB x b\n", (["a", "b"], ["A", "B"])),
        ({"word_column": 1}, "1 CD\n2 CD\n", (["1", "2"], ["CD", "CD"])),
        ({"word_prefix": "en:"}, "en:a A\nen:b B\nen:: C\n", (["a", "b", ":"], ["A", "B", "C"])),
        ({"word_prefix": ""}, "en:a A\nen:b B\nen:: C\n", (["en:a", "en:b", "en::"], ["A", "B", "C"])),
        ({"comment": "# "}, "# 5 = 6 7\na A\n# B\n", (["a", "#"], ["A", "B"])),
        ({}, "\ufeffa A \n\u3000 B\n\u00a0\tC\u00a0\n", (["a", "\u3000", "\u00a0"], ["A", "B", "C"])),
        ({}, "3 CD\n\n17 CD\n", (["3"], ["CD"])),
    ],
)
def test_columns_by_number(read, options, content, expected):
    assert read(content, format="columns", **options)[0] == expected


PLUS = "# global.columns = FORM LEMMA UPOS\n\na\tle\tDET\nb\tchat\tNOUN\n"


@pytest.mark.parametrize(
    "content",
    [
        PLUS,
        "\ufeff# global.columns = ID UPOS FORM X\n# text = a b\n1\tDET\ta\t_\n2\tNOUN\t\ufeffb\t_\n",
        row("1", "a", "_", "DET") + "\n" + row("2", "b", "_", "NOUN") + "\n\n" + PLUS,
    ],
)
def test_conllu_plus(read, content):
    sentences = read(content, tag_column="upos")
    assert sentences == [(["a", "b"], ["DET", "NOUN"])] * len(sentences)


@pytest.mark.parametrize("content", ["_\tX\na\tX\n", "_\tX\n", "a\tX\n_\tX\n_\tX\nb\tX\n"])
def test_an_underscore_is_a_word(read, content):
    assert read(content, format="columns")


def test_a_corpus_without_words(read):
    message = "corpus.txt: 2 of 3 words are _, expected words; some treebanks are distributed without"
    with pytest.raises(CorpusError, match=message):
        read("_\tX\n\n_\tX\na\tX\n", format="columns")
    with pytest.raises(CorpusError, match="100 of 100 words are _"):
        read("_\tX\n" * 100 + "\n" + "a\tX\n" * 500, format="columns")


@pytest.mark.parametrize(
    "separator, line, expected",
    [
        ("/", "The/DT dog/NN ./.", (["The", "dog", "."], ["DT", "NN", "."])),
        ("_", "The_DT snake_case_NN", (["The", "snake_case"], ["DT", "NN"])),
        ("/", r"1\/2/CD and\/or/CC", (["1/2", "and/or"], ["CD", "CC"])),
        ("/", r"1/2/CD", (["1/2"], ["CD"])),
        ("/", "  a/DT \t b/NN  ", (["a", "b"], ["DT", "NN"])),
    ],
)
def test_inline(read, separator, line, expected):
    assert read(f"\n{line}\n\n", format="inline", separator=separator) == [expected]


def test_line_endings_and_byte_order_mark(read):
    assert read(b"\xef\xbb\xbfa DT\r\nb NN\r\n", format="columns") == [(["a", "b"], ["DT", "NN"])]


@pytest.mark.parametrize(
    "options, content, message",
    [
        (
            {},
            row("1", "a", "_", "X", "X") + "\n1\tb\tX",
            r"line 2: 3 columns between tabs, expected the 10",
        ),
        ({}, row("one", "a", "_", "X", "X"), r"line 1: 'one' is no word id, expected one such as 7"),
        ({}, row("_", "a", "_", "X", "X"), r"line 1: the word has no id, expected"),
        ({}, row("2-1", "a", "_", "X", "X"), r"line 1: '2-1' is no word id"),
        (
            {},
            row("1", "a", "_", "X", "X") + "\n" + row("1", "b", "_", "X", "X"),
            r"line 2: word id 1 follows 1, expected 2 \(is a blank line between two sentences missing",
        ),
        (
            {},
            row("1", "a", "_", "X", "_"),
            r"line 1: the word 'a' has no tag, expected one in the column XPOS",
        ),
        ({"tag_column": "upos"}, row("1", "a"), r"'a' has no tag, expected one in the column UPOS"),
        ({}, row("1", " ", "_", "X", "X"), r"line 1: the word is empty, expected one in column 2"),
        ({}, row("1", "a", "_", "X", " "), r"the word 'a' has no tag"),
        (
            {},
            row("1-3", "abc") + "\n" + row("1", "a", "_", "X", "X"),
            r"line 2: the sentence ends with word 1, expected the words up to 3",
        ),
        (
            {},
            row("0.1", "a", "_", "X", "X"),
            r"line 1: the sentence ends with word 0, expected the words up to 1",
        ),
        ({}, "The DT\ndog NN", r"line 1: 1 column between tabs, expected the 10 of CoNLL-U"),
        (
            {"format": "columns"},
            "The DT\nold dog NN",
            r"line 2: 3 columns, expected two: a word and its tag",
        ),
        ({"format": "columns"}, "The DT\n\nNN", r"line 3: 1 column, expected two"),
        (
            {"format": "columns"},
            "The\tDT\n\tNN",
            r"line 2: the word is empty, expected a word and its tag",
        ),
        ({"format": "columns"}, "The\t", r"line 1: the tag is empty"),
        ({"format": "columns"}, "1 CD\n2 CD\n\n1 CD\n", r"line 1: the first column has running numbers"),
        ({"format": "columns"}, "0 A\n\n1 A\n2 A\n", r"running numbers \(0, 1, 2, …\).*word_column"),
        ({"format": "columns"}, "f A\n" * 10, r"line 1: the first column has one value .*word_column"),
        ({"format": "columns"}, "de:a A\n" * 3, r"line 1: every word begins with 'de:'.*word_prefix"),
        ({"format": "columns", "word_prefix": "de:"}, "de:a A\nen:b B", r"line 2: the word is 'en:b'"),
        (
            {"format": "columns", "tag_column": 3},
            "a A\n",
            r"line 1: 2 columns, expected 3 on every line",
        ),
        (
            {"format": "columns"},
            "# x y z\n",
            r"4 columns, expected two.*\"comment\": \"#\" of the reader",
        ),
        ({}, "# global.columns = ID WORD\n1\ta\n", r"line 1: the columns are ID WORD, expected FORM"),
        ({}, "# global.columns = FORM UPOS\na\tX\n", r"line 2: the word 'a' has no tag"),
        ({}, "# global.columns = FORM XPOS\na\tX\tY\n", r"line 2: 3 columns .* expected FORM XPOS"),
        ({"format": "inline"}, "a/DT\nb c/NN", r"line 2: 'b' has no tag, expected word/TAG"),
        ({"format": "inline"}, r"and\/or", r"has no tag, expected word/TAG \(the separator is '/'\)"),
        ({"format": "inline"}, "a/DT /NN", r"line 1: '/NN' has an empty word"),
        ({"format": "inline"}, "a/", r"line 1: 'a/' has an empty tag"),
        ({"format": "columns"}, b"a DT\nna\xefve JJ\n", r"line 2: byte 0xef at position 3 is not UTF-8"),
        ({"format": "columns"}, "", r"the file is empty, expected at least one sentence"),
        ({"format": "columns"}, "\n\n-DOCSTART- O\n", r"no sentence in the file, expected at least one"),
        ({}, "# only a comment\n", r"no sentence in the file"),
    ],
)
def test_bad_lines_are_named(read, options, content, message):
    with pytest.raises(ValueError, match=r"corpus\.txt.*" + message):
        read(content, **options)


def test_files_that_cannot_be_read(tmp_path):
    reader = TaggedTextReader()
    with pytest.raises(ValueError, match=r"nowhere\.conllu: cannot be read .*not found"):
        list(reader.read(tmp_path / "nowhere.conllu"))
    with pytest.raises(ValueError, match=r"cannot be read \(Is a directory\), expected a text file"):
        list(reader.read(tmp_path))


@pytest.mark.parametrize(
    "options, message",
    [
        ({"format": "conll"}, "format is 'conll', expected one of conllu, columns, inline"),
        ({"tag_column": "pos"}, "tag_column is 'pos', expected upos or xpos"),
        ({"separator": ""}, "separator is '', expected one character"),
        ({"separator": "\\"}, "expected one character"),
        ({"tag_column": 3}, "tag_column is 3, expected upos or xpos, or a number in the format columns"),
        ({"format": "columns", "tag_column": 0}, "tag_column is 0, expected a number from 1 on"),
        ({"word_column": 2}, "word_column is for the format columns, not conllu"),
        ({"format": "columns", "comment": ""}, "comment is '', expected how a comment begins"),
    ],
)
def test_arguments_out_of_range(options, message):
    with pytest.raises(ConfigurationError, match=message):
        TaggedTextReader(**options)


def test_text_to_instance_without_tags():
    reader = TaggedTextReader()
    instance = reader.text_to_instance(["a", Token("b")])
    assert [token.text for token in instance["tokens"].tokens] == ["a", "b"]
    assert "tags" not in instance.fields
    with pytest.raises(ValueError, match="tokens is empty"):
        reader.text_to_instance([])
    with pytest.raises(ValueError, match="1 tags for 2 tokens"):
        reader.text_to_instance(["a", "b"], ["DT"])


def test_namespace_of_the_labels():
    reader = TaggedTextReader(label_namespace="pos_labels")
    instance = reader.text_to_instance(["a"], ["DT"])
    reader.apply_token_indexers(instance)
    vocabulary = Vocabulary.from_instances([instance])
    assert vocabulary.get_token_index("DT", "pos_labels") == 0


def test_workers_share_the_sentences(tmp_path):
    path = tmp_path / "corpus.txt"
    path.write_text("".join(f"w{i}/T\n" for i in range(7)))
    seen = []
    for worker in range(3):
        reader = TaggedTextReader(format="inline")
        reader._set_worker_info(WorkerInfo(3, worker))
        seen.append([pairs(instance)[0][0] for instance in reader.read(path)])
    assert seen == [["w0", "w3", "w6"], ["w1", "w4"], ["w2", "w5"]]


def test_is_lazy_and_stops_at_max_instances(tmp_path):
    path = tmp_path / "corpus.txt"
    path.write_text("a/DT\nb/NN\nbroken\n")
    reader = TaggedTextReader(format="inline", max_instances=2)
    assert len(list(reader.read(path))) == 2
    instances = TaggedTextReader(format="inline").read(path)
    assert pairs(next(instances)) == (["a"], ["DT"])  # before the broken line is read


@pytest.mark.parametrize("part, sentences", [("train", 500), ("dev", 100), ("test", 150)])
def test_the_bundled_corpus_reads(part, sentences):
    for column in ("xpos", "upos"):
        assert (
            len(list(TaggedTextReader(tag_column=column).read(f"fixtures/pos/{part}.conllu")))
            == sentences
        )


def test_no_held_out_sentence_was_seen_in_training():
    train, dev, test = (
        {
            tuple(pairs(instance)[0])
            for instance in TaggedTextReader().read(f"fixtures/pos/{part}.conllu")
        }
        for part in ("train", "dev", "test")
    )
    assert not train & dev and not train & test and not dev & test
