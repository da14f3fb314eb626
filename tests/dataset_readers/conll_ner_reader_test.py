import pytest
from allennlp.data.dataset_readers.conll2003 import Conll2003DatasetReader
from allennlp.data.dataset_readers.dataset_utils.span_utils import bioul_tags_to_spans

from slstm_allennlp.dataset_readers import ConllNerReader
from tests.dataset_readers.common import values


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
    text = "".join(f"word {tag}\n" for tag in tags.split())
    assert read("conll_ner", text, coding_scheme=scheme)[0][1] == bioul


def test_other_columns_comments_and_lone_tabs_between_sentences(read):
    """The formats of GermEval 2014, whose last column has nested entities, and of WNUT-17."""
    text = "#\thttp://example.com\n1\tAda\tB-PER\tO\n2\tMay\tI-PER\tB-LOC\n\n#\tx\n1\tTom\tO\tO\n"
    options = {"word_column": 2, "tag_column": 3, "comment": "#\t", "coding_scheme": "IOB2"}
    assert read("conll_ner", text, **options) == [("Ada May", "B-PER L-PER"), ("Tom", "O")]
    text = "New\tB-location\nYork\tI-location\n\t\nHi\tO\n\n \nthere\tO\n"
    expected = [("New York", "B-location L-location"), ("Hi", "O"), ("there", "O")]
    assert read("conll_ner", text, coding_scheme="IOB2") == expected


@pytest.mark.parametrize(
    "scheme, tags", [("IOB1", "I-A B-A O"), ("IOB2", "B-A B-A O"), ("BIOES", "S-A S-A O")]
)
def test_tags_of_instances_are_bioul(scheme, tags):
    """Also if they are BIOUL already, as predictions are."""
    reader = ConllNerReader(scheme)
    for given in (tags, "U-A U-A O"):
        instance = reader.text_to_instance(["a", "b", "c"], given.split())
        assert list(instance["tags"].labels) == ["U-A", "U-A", "O"]
    if scheme != "BIOES":
        message = f"the tags are S-A O O, expected tags in {scheme} or BIOUL"
        with pytest.raises(ValueError, match=message):
            reader.text_to_instance(["a", "b", "c"], ["S-A", "O", "O"])


def test_reads_conll_2003_as_the_stock_reader_does():
    path = "fixtures/ner/dev.txt"
    stock = Conll2003DatasetReader(convert_to_coding_scheme="BIOUL").read(path)
    ours = [*map(values, ConllNerReader().read(path))]
    assert ours == [*map(values, stock)]
    assert any("B-" in tags for _, tags in ours)
    for _, tags in ours:
        bioul_tags_to_spans(tags.split())  # raises an error for illegal tags
