import pytest
from allennlp.data import Token, Vocabulary

from slstm_allennlp.dataset_readers import TaggedTextReader
from tests.dataset_readers.common import example_of


def test_text_to_instance():
    reader = TaggedTextReader()
    instance = reader.text_to_instance(["a", Token("b")])
    assert example_of(instance) == {"tokens": ["a", "b"]}
    assert instance["metadata"].metadata == {"words": ["a", "b"]}
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


def test_is_lazy_and_stops_at_max_instances(read, tmp_path):
    text = "a/DT\nb/NN\nbroken\n"
    assert len(read("tagged_text", text, format="inline", max_instances=2)) == 2
    instances = TaggedTextReader(format="inline").read(tmp_path / "corpus")
    assert example_of(next(instances))["tokens"] == ["a"]  # before the broken line is read


def test_brackets_of_a_tag(read):
    (sentence,) = read("tagged_text", "a/V[fin] ]/]", format="inline")
    assert sentence == ("a ]", "V[fin] ]")


def test_no_held_out_sentence_was_seen_in_training():
    parts = (TaggedTextReader().read(f"fixtures/pos/{part}.conllu") for part in ("train", "dev", "test"))
    train, dev, test = ({tuple(example_of(one)["tokens"]) for one in part} for part in parts)
    assert not train & dev and not train & test and not dev & test
