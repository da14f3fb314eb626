import pytest
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary
from allennlp.data.data_loaders import MultiProcessDataLoader as SpawnSafeDataLoader

from slstm_allennlp.dataset_readers import TaggedTextReader, TextClassificationJsonReader
from slstm_allennlp.tokenizers import SpacyBlankTokenizer


def loader(reader, path, **options):
    return SpawnSafeDataLoader(reader, str(path), batch_size=2, quiet=True, **options)


@pytest.fixture
def tags(tmp_path):
    (tmp_path / "train.txt").write_text("The\tDT\ndog\tNN\n")
    (tmp_path / "other.txt").write_text("The\tDT\n\nIt\tDT\nruns\tVBZ\n")
    return tmp_path


def test_an_unknown_tag(tags):
    reader = TaggedTextReader("columns")
    vocab = Vocabulary.from_instances(loader(reader, tags / "train.txt").iter_instances())
    with pytest.raises(ConfigurationError) as caught:
        loader(reader, tags / "other.txt").index_with(vocab)
    assert str(caught.value) == (
        f"{tags}/other.txt, sentence 2 (\"It runs\"): 'VBZ' is a label that the model does not know "
        "(labels), expected one of DT, NN"
    )
    loader(reader, tags / "train.txt").index_with(vocab)


def test_an_unknown_tag_with_a_lazy_loader(tags):
    reader = TaggedTextReader("columns")
    vocab = Vocabulary.from_instances(loader(reader, tags / "train.txt").iter_instances())
    lazy = loader(reader, tags / "other.txt", max_instances_in_memory=2)
    lazy.index_with(vocab)
    with pytest.raises(ConfigurationError, match=r"other.txt, sentence 2: 'VBZ' is a label that"):
        list(lazy)


def test_an_unknown_class(tmp_path):
    (tmp_path / "train.jsonl").write_text('{"text": "good", "label": "yes"}\n')
    long = " ".join(["word"] * 20)
    (tmp_path / "other.jsonl").write_text(f'{{"text": "{long}", "label": "no"}}\n')
    reader = TextClassificationJsonReader(tokenizer=SpacyBlankTokenizer())
    vocab = Vocabulary.from_instances(loader(reader, tmp_path / "train.jsonl").iter_instances())
    message = r"sentence 1 \(\"(word ){12}…\"\): 'no' is a label .*, expected one of yes$"
    with pytest.raises(ConfigurationError, match=message):
        loader(reader, tmp_path / "other.jsonl").index_with(vocab)
