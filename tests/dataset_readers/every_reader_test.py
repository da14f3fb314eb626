"""What all readers have in common: the corpora, worker processes, and AllenNLP's readers' instances."""

import itertools
from unittest import mock

import pytest
from allennlp.common.util import SigTermReceived
from allennlp.data import Vocabulary
from allennlp.data.data_loaders import MultiProcessDataLoader
from allennlp.data.dataset_readers import TextClassificationJsonReader as StockJsonReader
from allennlp.data.dataset_readers.dataset_reader import WorkerInfo
from allennlp.data.tokenizers import LettersDigitsTokenizer, WhitespaceTokenizer
from allennlp_models.classification import StanfordSentimentTreeBankDatasetReader
from allennlp_models.generation import Seq2SeqDatasetReader
from allennlp_models.pair_classification import QuoraParaphraseDatasetReader
from allennlp_models.pair_classification import SnliReader as StockSnliReader

import slstm_allennlp.dataset_readers
from slstm_allennlp.dataset_readers import lines
from slstm_allennlp.tokenizers import SpacyBlankTokenizer
from tests.dataset_readers.common import contents, example_of, reader_of, values

PARTS = ("train", "dev", "test")
TRANSLATION = "fixtures/translation/"
STOCK = {
    "snli": StockSnliReader,
    "quora_paraphrase": QuoraParaphraseDatasetReader,
    "sst_tokens": StanfordSentimentTreeBankDatasetReader,
    "seq2seq": Seq2SeqDatasetReader,
    "parallel_text": Seq2SeqDatasetReader,
    "text_classification_json": StockJsonReader,
}
# The number of sentences in each part of the bundled corpora.
CORPORA = [
    ("tagged_text", {"tag_column": "xpos"}, "fixtures/pos/{}.conllu", (500, 100, 150)),
    ("tagged_text", {"tag_column": "upos"}, "fixtures/pos/{}.conllu", (500, 100, 150)),
    ("conll_ner", {}, "fixtures/ner/{}.txt", (500, 100, 150)),
    ("penn_treebank_pos", {}, "fixtures/ptb#{}", (500, 75, 75)),
    ("review", {"dataset": "books"}, "fixtures/mtl#{}", (300, 200, 100)),
    ("review", {"dataset": "apparel"}, "fixtures/mtl#{}", (300, 200, 100)),
    ("quora_paraphrase", {}, "fixtures/quora/{}.tsv", (200, 50, 50)),
    ("snli", {}, "fixtures/snli/{}.jsonl", (298, 60, 60)),
    ("sst_tokens", {}, "fixtures/sst/{}.txt", (120, 40, 40)),
    ("seq2seq", {}, TRANSLATION + "{}.tsv", (300, 50, 50)),
]
LABELS = {
    "quora_paraphrase": "01",
    "sst_tokens": "01234",
    "snli": ("entailment", "neutral", "contradiction"),
}


@pytest.mark.parametrize("name, options, path, sizes", CORPORA)
def test_the_bundled_corpora_read(name, options, path, sizes):
    for part, size in zip(PARTS, sizes):
        examples = [*map(example_of, reader_of(name, **options).read(path.format(part)))]
        assert len(examples) == size
        if name in LABELS:
            assert {example["label"] for example in examples} == {*LABELS[name]}


WHITE = WhitespaceTokenizer()
CLASSES = ("2-class", "3-class", "5-class")
OF_SST = itertools.product((None, LettersDigitsTokenizer()), CLASSES, (False, True))
AS_STOCK = [
    *(("snli", options) for options in ({}, {"tokenizer": SpacyBlankTokenizer()})),
    *(("snli", {key: True}) for key in ("collapse_labels", "combine_input_fields")),
    *(("quora_paraphrase", options) for options in ({}, {"tokenizer": LettersDigitsTokenizer()})),
    ("quora_paraphrase", {"combine_input_fields": True}),
    *((name, {"max_instances": 7}) for name in ("snli", "quora_paraphrase")),
    *(
        ("sst_tokens", {"tokenizer": tokenizer, "granularity": granularity, "use_subtrees": subtrees})
        for tokenizer, granularity, subtrees in OF_SST
    ),
    ("seq2seq", {}),
    ("seq2seq", {"target_tokenizer": WHITE, "source_max_tokens": 4}),
    ("seq2seq", {"source_add_start_token": False, "target_add_end_token": False, "max_instances": 7}),
]


@pytest.mark.parametrize("name, options", AS_STOCK)
def test_reads_as_the_stock_reader_does(name, options):
    (path,) = [path for other, _, path, _ in CORPORA if other == name]
    # The stock reader drops quotation marks, with which questions begin in other parts.
    for part in ("dev",) if name == "quora_paraphrase" else PARTS:
        stock = contents(reader_of(name, STOCK[name], **options).read(path.format(part)))
        assert contents(reader_of(name, **options).read(path.format(part))) == stock
        assert len(stock) == 7 if "max_instances" in options else len(stock) > 7


TEXTS = """{"body": "a b c", "class": 3, "id": 7}
{"body": "d e", "class": "1"}
{"body": "f", "class": 0}
"""
KEYS = {"text_key": "body", "label_key": "class"}


@pytest.mark.parametrize(
    "name, content, options",
    [
        ("seq2seq", '"a, b",c\n"he said ""hi""",d\n', {"delimiter": ","}),
        ("seq2seq", "a b\tc\r\nd\te\r\n", {}),
        ("seq2seq", '" a\tb " c\nd\t"\n', {"quoting": 3}),
        ("seq2seq", 'a "b" c\td\n"a\tb"\t""""\n', {}),
        *(
            ("text_classification_json", TEXTS, {**KEYS, **options})
            for options in ({}, {"max_sequence_length": 2}, {"max_instances": 2})
        ),
        ("text_classification_json", TEXTS, {**KEYS, "skip_label_indexing": True}),
    ],
)
def test_reads_other_forms_as_the_stock_reader_does(tmp_path, name, content, options):
    (tmp_path / "file").write_bytes(content.encode())
    ours, stock = (
        contents(reader_of(name, cls, **options).read(tmp_path / "file")) for cls in (None, STOCK[name])
    )
    assert ours == stock and len(stock) >= 2


def test_two_files_are_read_as_two_columns():
    found = contents(reader_of("parallel_text").read(TRANSLATION + "dev.{de,en}"))
    assert found == contents(reader_of("seq2seq").read(TRANSLATION + "dev.tsv"))
    assert len(found) == 50


PATHS = {
    **{name: (options, path.format("dev")) for name, options, path, _ in CORPORA},
    "movie_review": ({}, "fixtures/mr#dev"),
    "parallel_text": ({}, TRANSLATION + "dev.{de,en}"),
    "table": ({}, "fixtures/reviews.csv"),
    "text_classification_json": (
        {"text_key": "sentence1", "label_key": "gold_label"},
        "fixtures/snli/dev.jsonl",
    ),
}
OTHERS = [("text_classification_json", {}), ("table", {}), ("parallel_text", {})]
BY_FILE = [*(corpus[:2] for corpus in CORPORA if "#" not in corpus[2]), *OTHERS]
each_reader = pytest.mark.parametrize("name", PATHS)


@pytest.mark.parametrize("name, options", BY_FILE)
def test_files_that_cannot_be_read(name, options, tmp_path):
    reader = reader_of(name, **options)
    path = f"{tmp_path}/x.{{a,b}}" if name == "parallel_text" else f"{tmp_path}/x.a"
    with pytest.raises(ValueError, match=r"x\.a: cannot be read \(.*not found\), expected a text file"):
        list(reader.read(path))
    for content, message in (
        (b"", r"x\.a: the file is empty"),
        (b"\x81\n", r"x\.a, line 1: byte 0x81 at position 1 is not UTF-8"),  # nor Windows-1252
    ):
        for file in ("x.a", "x.b"):
            (tmp_path / file).write_bytes(content)
        with pytest.raises(ValueError, match=message):
            list(reader.read(path))
    (tmp_path / "x.a").unlink()
    (tmp_path / "x.a").mkdir()
    with pytest.raises(ValueError, match=r"cannot be read \(Is a directory\), expected a text file"):
        list(reader.read(path))


def test_a_signal_while_a_file_is_fetched(monkeypatch):
    """It is no error of the file."""
    monkeypatch.setattr(lines, "cached_path", mock.Mock(side_effect=SigTermReceived))
    with pytest.raises(SigTermReceived):
        list(lines.read_lines("https://x/y.txt"))


def test_every_reader_is_here():
    ours = {value for value in vars(slstm_allennlp.dataset_readers).values() if isinstance(value, type)}
    assert {type(reader_of(name, **options)) for name, (options, _) in PATHS.items()} == ours


@each_reader
@pytest.mark.parametrize("limit", [{}, {"max_instances": 7}], ids=str)
def test_workers_share_the_instances(name, limit):
    options, path = PATHS[name]
    everything = [*map(values, reader_of(name, **options, **limit).read(path))]
    assert len(everything) == limit.get("max_instances", len(everything))
    for worker in range(3):
        reader = reader_of(name, **options, **limit)
        reader._set_worker_info(WorkerInfo(3, worker))
        assert [*map(values, reader.read(path))] == everything[worker::3]


@pytest.mark.parametrize("name", STOCK)
def test_workers_of_a_data_loader(name):
    options, path = PATHS[name]
    reader = reader_of(name, **options)
    assert isinstance(reader, STOCK[name])
    loader = MultiProcessDataLoader(reader, path, batch_size=8, num_workers=2)
    loader.index_with(Vocabulary.from_instances(loader.iter_instances()))
    everything = list(reader_of(name, **options).read(path))
    assert len(list(loader.iter_instances())) == len(everything)
    assert len(list(loader)) == -(-len(everything) // 8)


@each_reader
def test_ranks_share_the_instances(name, monkeypatch):
    options, path = PATHS[name]
    everything = [*map(values, reader_of(name, **options).read(path))]
    monkeypatch.setattr("allennlp.common.util.is_distributed", lambda: True)
    monkeypatch.setattr("torch.distributed.get_world_size", lambda: 2)
    for rank in range(2):
        monkeypatch.setattr("torch.distributed.get_rank", lambda rank=rank: rank)
        assert [*map(values, reader_of(name, **options).read(path))] == everything[rank::2]
