"""Common behaviour of the readers that replace AllenNLP's, and of `parallel_text`."""

import pytest
from allennlp.common import Params
from allennlp.data import DatasetReader, Vocabulary
from allennlp.data.data_loaders import MultiProcessDataLoader
from allennlp.data.dataset_readers.dataset_reader import WorkerInfo
from allennlp_models.classification import StanfordSentimentTreeBankDatasetReader
from allennlp_models.generation import Seq2SeqDatasetReader
from allennlp_models.pair_classification import QuoraParaphraseDatasetReader
from allennlp_models.pair_classification import SnliReader as StockSnliReader

from slstm_allennlp import dataset_readers
from tests.dataset_readers.common import contents

SPLITTING = {"snli": "tokenizer", "seq2seq": "source_tokenizer", "parallel_text": "source_tokenizer"}
PATHS = {
    "snli": "fixtures/snli/train.jsonl",
    "quora_paraphrase": "fixtures/quora/train.tsv",
    "sst_tokens": "fixtures/sst/train.txt",
    "seq2seq": "fixtures/translation/dev.tsv",
    "parallel_text": "fixtures/translation/dev.{de,en}",
}
each_reader = pytest.mark.parametrize("name", list(PATHS))


def reader_of(name, **options):
    """Build the reader with a registered name, and with a tokenizer that needs no download."""
    if name in SPLITTING:
        options[SPLITTING[name]] = "whitespace"
    return DatasetReader.from_params(Params({"type": name, **options}))


@pytest.mark.parametrize(
    "name, ours, stock",
    [
        ("snli", "SnliReader", StockSnliReader),
        ("quora_paraphrase", "QuoraParaphraseReader", QuoraParaphraseDatasetReader),
        ("sst_tokens", "StanfordSentimentTreebankReader", StanfordSentimentTreeBankDatasetReader),
        ("seq2seq", "Seq2SeqReader", Seq2SeqDatasetReader),
        ("parallel_text", "ParallelTextReader", Seq2SeqDatasetReader),
    ],
)
def test_configs_get_them(name, ours, stock):
    reader = reader_of(name, max_instances=3)
    assert type(reader) is getattr(dataset_readers, ours)
    assert isinstance(reader, stock) and type(reader) is not stock
    assert len(list(reader.read(PATHS[name]))) == 3


@each_reader
def test_files_that_cannot_be_read(name, tmp_path):
    path = f"{tmp_path}/x.{{a,b}}" if name == "parallel_text" else f"{tmp_path}/x.a"
    with pytest.raises(ValueError, match=r"x\.a: cannot be read \(.*\), expected a text file"):
        list(reader_of(name).read(path))
    for content, message in (
        (b"", r"x\.a: the file is empty"),
        (b"\xe9\n", r"x\.a, line 1: byte 0xe9 at position 1 is not UTF-8"),
    ):
        for file in ("x.a", "x.b"):
            (tmp_path / file).write_bytes(content)
        with pytest.raises(ValueError, match=message):
            list(reader_of(name).read(path))


@each_reader
@pytest.mark.parametrize("options", [{}, {"max_instances": 7}])
def test_workers_share_the_instances(name, options):
    everything = contents(reader_of(name, **options).read(PATHS[name]))
    found = []
    for worker in range(3):
        reader = reader_of(name, **options)
        reader._set_worker_info(WorkerInfo(3, worker))
        found.append(contents(reader.read(PATHS[name])))
    interleaved = [part[index] for index in range(len(found[0])) for part in found if index < len(part)]
    assert interleaved == everything


@each_reader
def test_workers_of_a_data_loader(name):
    loader = MultiProcessDataLoader(reader_of(name), PATHS[name], batch_size=8, num_workers=2)
    loader.index_with(Vocabulary.from_instances(loader.iter_instances()))
    everything = contents(reader_of(name).read(PATHS[name]))
    assert len(list(loader.iter_instances())) == len(everything)
    assert len(list(loader)) == -(-len(everything) // 8)


@each_reader
def test_ranks_share_the_instances(name, monkeypatch):
    everything = contents(reader_of(name).read(PATHS[name]))
    monkeypatch.setattr("allennlp.common.util.is_distributed", lambda: True)
    monkeypatch.setattr("torch.distributed.get_world_size", lambda: 2)
    found = []
    for rank in range(2):
        monkeypatch.setattr("torch.distributed.get_rank", lambda rank=rank: rank)
        found.append(contents(reader_of(name).read(PATHS[name])))
    assert found == [everything[0::2], everything[1::2]]
