import pytest
from allennlp.data.dataset_readers.conll2003 import Conll2003DatasetReader
from allennlp.data.dataset_readers.dataset_utils.span_utils import bioul_tags_to_spans

from slstm_allennlp.dataset_readers import ConllNerReader
from tests.dataset_readers.common import values


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
