from allennlp_models.pair_classification import QuoraParaphraseDatasetReader

from tests.dataset_readers.common import values


def test_quotation_marks_are_characters(read, tmp_path):
    text = '1\t" yes\the said " yes "\t0\n0\t"no" , no\tb\t1\n0\t" c " d\te\t2\n'
    assert read("quora_paraphrase", text) == [
        ('" yes', 'he said " yes "', "1"),
        ('"no" , no', "b", "0"),
        ('" c " d', "e", "0"),
    ]
    stock = QuoraParaphraseDatasetReader().read(tmp_path / "corpus")
    assert [*map(values, stock)] == [("no , no", "b", "0"), ("c d", "e", "0")]
