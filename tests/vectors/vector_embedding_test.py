"""Embeddings with a given standard deviation: random or pretrained."""

import copy
import pickle

import numpy
import pyarrow
import pytest
import torch
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import Instance, Token, Vocabulary
from allennlp.data.fields import TextField
from allennlp.data.token_indexers import SingleIdTokenIndexer
from allennlp.models import Model
from allennlp.modules import TokenEmbedder
from allennlp.modules.token_embedders import Embedding
from pyarrow import parquet
from torch.nn import ModuleList

from slstm_allennlp.vectors import table, vector_embedding


def vocabulary(*words):
    return Vocabulary(tokens_to_add={"tokens": list(words)})


def embedder(vocab, **options):
    options = {"type": "scaled_embedding", "embedding_dim": 2000, **options}
    torch.manual_seed(1)
    return TokenEmbedder.from_params(Params(options), vocab=vocab)


@pytest.mark.parametrize("options, std", (({}, 0.1), ({"std": 2.0}, 2.0)), ids=str)
def test_the_scale(options, std):
    vectors = embedder(vocabulary("a", "b"), **options).weight
    assert vectors.shape == (4, 2000) and vectors.requires_grad
    torch.testing.assert_close(vectors.std(dim=1), torch.full((4,), std), rtol=0.05, atol=0)
    assert (vectors.mean(dim=1).abs() < 0.1 * std).all()
    padded = embedder(vocabulary("a"), padding_index=0).weight
    assert not padded[0].any() and padded[1:].all()


def test_a_file_goes_first(tmp_path, caplog):
    file = tmp_path / "vectors.txt"
    file.write_text("a 5 6\nb 7 9\nc 1 2\n")
    options = {"embedding_dim": 2, "pretrained_file": str(file)}
    ours = embedder(vocabulary("a", "b"), **options)
    assert ours.weight[2:].tolist() == [[5, 6], [7, 9]]
    torch.manual_seed(1)
    stock = Embedding(vocab=vocabulary("a", "b"), **options)
    assert torch.equal(ours.weight, stock.weight)
    ours.extend_vocab(vocabulary("a", "b", "c"))
    assert ours.weight[2:].tolist() == [[5, 6], [7, 9], [1, 2]]
    assert "which does not change" not in caplog.text
    assert embedder(vocabulary("a", "b"), std=0.3, **options).weight[2:].tolist() == [[5, 6], [7, 9]]
    assert "std is 0.3, which does not change the vectors of pretrained_file" in caplog.text


def test_new_words_are_like_the_others():
    ours = embedder(vocabulary("a", "b"))
    before = ours.weight.detach().clone()
    ours.extend_vocab(vocabulary("a", "b", "c", "d"))
    assert torch.equal(ours.weight[:4], before)
    torch.testing.assert_close(ours.weight[4:].std(dim=1), torch.full((2,), 0.1), rtol=0.05, atol=0)


@pytest.fixture
def source(tmp_path):
    """A file of vectors of size 2 with a standard deviation of 2."""
    path = tmp_path / "vectors.txt"
    path.write_text("a 1 5\nParis 1 5\nc 1 5\nnew 5 1\n")
    return path


def pretrained(vocab, source, **options):
    options = {"type": "embedding", "embedding_dim": 2, "vectors": str(source), **options}
    return embedder(vocab, **options)


@pytest.fixture
def run(tmp_path):
    """The folder of a model, as AllenNLP prepares it."""
    (tmp_path / "run" / "vocabulary").mkdir(parents=True)
    return str(tmp_path / "run")


SCALED = [0.15, 0.75]  # 1 and 5, from a standard deviation of 2 to the default, 0.3
SCALE = {"std": 0.3, "type": "scaled_embedding"}


@pytest.mark.parametrize("options, expected", [({}, SCALED), (SCALE, SCALED), ({"std": 2}, [1.0, 5])])
def test_pretrained_vectors_are_scaled(source, options, expected):
    """Words without a vector start at the same scale."""
    words = [f"unknown{number}" for number in range(3000)]
    vectors = pretrained(vocabulary("a", "paris", *words), source, **options).weight
    torch.testing.assert_close(vectors[2:4], torch.tensor([expected, expected]))
    assert vectors[4:].std().item() == pytest.approx(options.get("std", 0.3), rel=0.05)


def test_without_vectors_it_is_allennlps(source):
    torch.manual_seed(1)
    ours = TokenEmbedder.from_params(Params({"embedding_dim": 7}), vocab=vocabulary("a"))
    torch.manual_seed(1)
    assert torch.equal(ours.weight, Embedding(7, vocab=vocabulary("a")).weight)


def test_what_was_found_is_said(source, caplog):
    words = [Token(word) for word in "a a a paris other".split()]
    instance = Instance({"t": TextField(words, {"t": SingleIdTokenIndexer()})})
    vocab = Vocabulary.from_instances([instance])
    caplog.set_level("INFO")
    pretrained(vocab, source)
    hint = ": is the text of their language, and divided into words?"
    said = [f'"{source}" has vectors of 2 of 3 words, 80.0% of the running words{hint}']
    assert [text for text in caplog.messages if "has vectors" in text] == said
    pretrained(vocabulary("nothing", "known"), source)
    pretrained(vocabulary("nothing", "paris"), source)
    levels = [record.levelname for record in caplog.records if "has vectors" in record.message]
    assert levels == ["WARNING", "WARNING", "INFO"]


def test_new_words_have_their_vectors(source):
    ours = pretrained(vocabulary("a"), source)
    assert torch.equal(pickle.loads(pickle.dumps(copy.deepcopy(ours))).weight, ours.weight)
    ours.weight.data[2] += 1  # as training does
    before = ours.weight.detach().clone()
    ours.extend_vocab(vocabulary("a", "c", "other"))
    assert torch.equal(ours.weight[:3], before)
    torch.testing.assert_close(ours.weight[3], torch.tensor(SCALED))
    assert ours.weight.shape == (5, 2)


def text(*words):
    return [Instance({"words": TextField(list(map(Token, words)), {"tokens": SingleIdTokenIndexer()})})]


def test_which_words_a_source_has(source):
    assert pretrained(vocabulary("a"), source).knows(["c", "x", "NEW"]) == ["c", "NEW"]


def test_a_word_stays_unknown_if_another_embedder_has_no_source(source):
    model = Model(vocabulary("a"))
    model.both = ModuleList([pretrained(model.vocab, source), embedder(model.vocab)])
    assert not model.both[0].learn_new_words(model, text("c"))
    assert model.vocab.get_vocab_size() == 3


def test_the_number_of_new_words_is_limited(source, monkeypatch, caplog):
    monkeypatch.setattr(vector_embedding, "_MAX_NEW_WORDS", 2)
    model = Model(vocabulary("a"))
    model.embedder = pretrained(model.vocab, source)
    for words in (["Paris", "NEW", "New"], ["c"]):
        model.embedder.learn_new_words(model, text(*words))
    assert list(model.vocab.get_token_to_index_vocabulary())[2:] == ["a", "Paris", "NEW"]
    said = [record.message for record in caplog.records if record.levelname == "WARNING"]
    assert said == ["Prediction has met 2 new words: others are unknown."]


@pytest.mark.parametrize("trainable", (True, False))
def test_a_new_word_is_unknown_to_a_source_that_lacks_it(source, tmp_path, trainable):
    (tmp_path / "other.txt").write_text("a 7 8\nzebra 1 2\n")
    model = Model(vocabulary("a"))
    sources = (source, tmp_path / "other.txt")
    model.both = ModuleList(pretrained(model.vocab, each, trainable=trainable) for each in sources)
    for each in model.both:
        each.learn_new_words(model, text("c", "zebra"))
    unknown, c, zebra = (model.vocab.get_token_index(word) for word in ("never", "c", "zebra"))
    (first, second) = (each.weight for each in model.both)
    assert first.shape == second.shape == (5, 2) and {c, zebra} == {3, 4}
    assert torch.equal(first[zebra], first[unknown]) and torch.equal(second[c], second[unknown])
    torch.testing.assert_close(first[c], torch.tensor(SCALED))
    assert second[zebra, 1] == 2 * second[zebra, 0]


@pytest.mark.parametrize("trainable", (True, False))
def test_an_archive_needs_no_source(source, run, caplog, trainable):
    vocab = vocabulary("a", "b")
    ours = pretrained(vocab, source, serialization_dir=run, trainable=trainable)
    state = ours.state_dict()
    source.unlink()
    with pytest.raises(ConfigurationError, match="is no file"):
        pretrained(vocab, source, trainable=trainable)
    again = pretrained(vocab, source, serialization_dir=run, trainable=trainable)
    again.load_state_dict(state)
    assert torch.equal(again.weight, ours.weight)
    assert "are not here: words that no file of the training has are unknown" in caplog.text
    assert again.knows(["a"]) == []


def test_two_sources_for_the_words_of_one_namespace(source, run, tmp_path, caplog):
    """An archive recognizes the vectors of each source."""
    (tmp_path / "other.txt").write_text("a 7 8\nzebra 1 2\n")
    vocab, sources = vocabulary("a"), (source, tmp_path / "other.txt")
    states = [pretrained(vocab, each, serialization_dir=run).state_dict() for each in sources]
    caplog.clear()
    for each, state in zip(sources, states):
        again = pretrained(vocab, each, serialization_dir=run, trainable=False)
        again.load_state_dict(state)
        assert again.knows(["a"])
    assert "not those of the training" not in caplog.text


def test_an_archive_does_not_take_other_vectors(source, run, caplog):
    """The file has changed since the training."""
    vocab = vocabulary("a")
    state = pretrained(vocab, source, serialization_dir=run, trainable=False).state_dict()
    source.write_text("a 1 5 7\nzebra 1 2 3\n")
    again = pretrained(vocab, source, serialization_dir=run, trainable=False)
    again.load_state_dict(state)
    assert "are not those of the training" in caplog.text and again.knows(["zebra"]) == []


def test_half_precision(source):
    options = {"trainable": False, "projection_dim": 3}
    ours = pretrained(vocabulary("a", "b"), source, half_precision=True, **options)
    state = ours.state_dict()
    assert state["weight"].dtype == torch.float16
    assert state["_projection.weight"].dtype == torch.float32  # as all that is trained
    again = pretrained(vocabulary("a", "b"), source, **options)
    again.load_state_dict(state)
    assert again.weight.dtype == torch.float32
    assert torch.equal(again.weight, ours.weight)  # so that a recovered run goes on with the same
    ours.extend_vocab(vocabulary("a", "b", "c", "new"))
    assert torch.equal(ours.weight.half().float(), ours.weight)


def test_a_vector_that_is_not_finite(tmp_path, monkeypatch):
    """The matrix of a package is not read whole, so the vectors in use are checked."""
    monkeypatch.setattr(table, "_SAMPLE", 1)
    numpy.save(tmp_path / "numbers.npy", numpy.array([[1, 5], [numpy.nan, 1]], dtype=numpy.float32))
    parquet.write_table(pyarrow.table({"word": ["a", "b"]}), tmp_path / "words.parquet")
    pretrained(vocabulary("a"), tmp_path)
    with pytest.raises(ConfigurationError, match=r'vector of "b" in .* has a number that is NaN or inf'):
        pretrained(vocabulary("a", "b"), tmp_path)


@pytest.mark.parametrize(
    "options, message",
    (
        ({"embedding_dim": 3}, 'have 2 numbers and embedding_dim is 3.*"projection_dim": 3 keeps'),
        ({"pretrained_file": "x.txt"}, "expected a vocabulary with it, no pretrained_file"),
        ({"num_embeddings": 9}, "no pretrained_file and no num_embeddings"),
        ({"half_precision": True}, "half_precision is true, expected false where training changes"),
        *(({"std": std}, f"std is {std}, expected a number above 0") for std in (0, -1.0, float("nan"))),
    ),
)
def test_options_that_do_not_fit(source, options, message):
    with pytest.raises(ConfigurationError, match=message):
        pretrained(vocabulary("a"), source, **options)
