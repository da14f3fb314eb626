import pytest
from allennlp.common.checks import ConfigurationError
from allennlp.data.dataset_readers.conll2003 import Conll2003DatasetReader
from allennlp.data.dataset_readers.dataset_utils.span_utils import bioul_tags_to_spans

from slstm_allennlp.dataset_readers import ConllNerReader


@pytest.fixture
def read(tmp_path):
    """Read a text with a reader of these options, and return (words, tags) pairs."""

    def run(text, **options):
        (tmp_path / "corpus.txt").write_text(text, encoding="utf-8")
        return pairs(ConllNerReader(**options).read(tmp_path / "corpus.txt"))

    return run


def pairs(instances):
    return [
        ([token.text for token in instance["tokens"].tokens], list(instance["tags"].labels))
        for instance in instances
    ]


def tagged(tags):
    return "".join(f"word {tag}\n" for tag in tags.split())


@pytest.mark.parametrize(
    "scheme, tags, bioul",
    [
        ("IOB1", "I-PER I-PER O I-LOC", "B-PER L-PER O U-LOC"),
        ("IOB1", "I-PER B-PER I-PER B-PER", "U-PER B-PER L-PER U-PER"),
        ("IOB1", "I-PER I-LOC I-LOC", "U-PER B-LOC L-LOC"),
        ("IOB2", "B-PER I-PER I-PER O B-LOC", "B-PER I-PER L-PER O U-LOC"),
        ("IOB2", "B-PER B-PER I-PER", "U-PER B-PER L-PER"),
        ("BIOES", "B-PER I-PER E-PER S-LOC O S-PER", "B-PER I-PER L-PER U-LOC O U-PER"),
    ],
)
def test_coding_schemes(read, scheme, tags, bioul):
    assert read(tagged(tags), coding_scheme=scheme)[0][1] == bioul.split()


def test_other_columns_and_comments(read):
    """The format of GermEval 2014, whose last column has nested entities."""
    text = "#\thttp://example.com\n1\tAda\tB-PER\tO\n2\tMay\tI-PER\tB-LOC\n\n#\tx\n1\tTom\tO\tO\n"
    options = {"word_column": 2, "tag_column": 3, "comment": "#\t"}
    expected = [(["Ada", "May"], ["B-PER", "L-PER"]), (["Tom"], ["O"])]
    assert read(text, coding_scheme="IOB2", **options) == expected


@pytest.mark.parametrize(
    "scheme, tags", [("IOB1", "I-A B-A O"), ("IOB2", "B-A B-A O"), ("BIOES", "S-A S-A O")]
)
def test_tags_of_instances_are_bioul(scheme, tags):
    """Also if they are BIOUL already, as predictions are."""
    reader = ConllNerReader(scheme)
    for given in (tags.split(), ["U-A", "U-A", "O"]):
        instance = reader.text_to_instance(["a", "b", "c"], given)
        assert list(instance["tags"].labels) == ["U-A", "U-A", "O"]
    if scheme != "BIOES":
        with pytest.raises(
            ValueError, match=f"the tags are S-A O O, expected tags in {scheme} or BIOUL"
        ):
            reader.text_to_instance(["a", "b", "c"], ["S-A", "O", "O"])


def test_two_columns_and_lone_tabs_between_sentences(read):
    """The format of WNUT-17."""
    text = "New\tB-location\nYork\tI-location\n\t\nHi\tO\n\n \nthere\tO\n"
    assert read(text, coding_scheme="IOB2") == [
        (["New", "York"], ["B-location", "L-location"]),
        (["Hi"], ["O"]),
        (["there"], ["O"]),
    ]


def test_reads_conll_2003_as_the_stock_reader_does():
    path = "fixtures/ner/dev.txt"
    stock = Conll2003DatasetReader(convert_to_coding_scheme="BIOUL").read(path)
    ours = pairs(ConllNerReader().read(path))
    assert ours == pairs(stock)
    assert any(tag.startswith("B-") for _, tags in ours for tag in tags)
    for _, tags in ours:
        bioul_tags_to_spans(tags)  # raises an error for illegal tags


@pytest.mark.parametrize(
    "scheme, tags, line, message",
    [
        (
            "IOB1",
            "O B-PER",
            2,
            "the tag B-PER follows O, which IOB1 does not allow, expected another "
            "tag, or another coding_scheme of the reader: IOB1, IOB2, BIOES",
        ),
        ("IOB1", "I-PER B-LOC", 2, "the tag B-LOC follows I-PER"),
        ("IOB2", "I-PER", 1, "the tag I-PER follows O, which IOB2 does not allow"),
        ("IOB2", "B-PER I-LOC", 2, "the tag I-LOC follows B-PER"),
        ("BIOES", "B-PER O", 2, "the tag O follows B-PER"),
        ("BIOES", "B-PER I-PER", 2, "the end of the sentence follows I-PER"),
        ("BIOES", "B-PER S-PER", 2, "the tag S-PER follows B-PER"),
        ("BIOES", "B-PER E-LOC", 2, "the tag E-LOC follows B-PER"),
        ("BIOES", "O E-LOC", 2, "the tag E-LOC follows O"),
        ("BIOES", "S-LOC I-LOC E-LOC", 2, "the tag I-LOC follows S-LOC"),
        ("IOB1", "O S-PER", 2, "the tag is 'S-PER', expected O or I-TYPE or B-TYPE"),
        ("IOB2", "B-", 1, "the tag is 'B-', expected O or B-TYPE or I-TYPE"),
        ("IOB2", "PER", 1, "the tag is 'PER'"),
        ("BIOES", "-PER", 1, "the tag is '-PER'"),
    ],
)
def test_illegal_tags_are_named(read, scheme, tags, line, message):
    with pytest.raises(ValueError, match=rf"corpus.txt, line {line + 2}: {message}"):
        read("first O\n\n" + tagged(tags), coding_scheme=scheme)


@pytest.mark.parametrize(
    "text, message",
    [
        ("word\n", "line 1: 1 column, expected 2"),
        ("a NN I-NP O\nb NN O\n", "line 2: 3 columns, expected 4"),
        ("a O\n\nb NN O\n", "line 3: 3 columns, expected 2"),
        ("a\tO\n\tO\n", "line 2: the word is empty"),
        ("a\tO\nb\t\n", "line 2: the tag is empty"),
        ("-DOCSTART- -X- O O\n\n", "corpus.txt: no sentence in the file"),
        ("", "corpus.txt: the file is empty"),
    ],
)
def test_bad_lines_are_named(read, text, message):
    with pytest.raises(ValueError, match=message):
        read(text)


def test_unknown_coding_scheme():
    with pytest.raises(
        ConfigurationError, match="coding_scheme is 'BIO', expected one of IOB1, IOB2, BIOES"
    ):
        ConllNerReader("BIO")


@pytest.mark.parametrize("part, sentences", [("train", 500), ("dev", 100), ("test", 150)])
def test_the_bundled_corpus_reads(part, sentences):
    assert len(list(ConllNerReader().read(f"fixtures/ner/{part}.txt"))) == sentences
