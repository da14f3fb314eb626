"""Features of a tiny BERT: their values, the cache, and archives without BERT's folder."""

import os
import shutil
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from unittest import mock

import numpy
import pytest
import torch
from allennlp.common import Params, cached_transformers
from allennlp.common.checks import ConfigurationError
from allennlp.modules import TokenEmbedder
from tokenizers import ByteLevelBPETokenizer
from tokenizers.processors import TemplateProcessing
from transformers import (
    BertModel,
    BertTokenizer,
    BertTokenizerFast,
    GPT2Config,
    GPT2Model,
    GPT2TokenizerFast,
    RobertaConfig,
    RobertaModel,
    RobertaTokenizerFast,
)
from transformers.models.bert.modeling_bert import BertEncoder

from slstm_allennlp.security.opening import TRUST, opening
from slstm_allennlp.vectors.feature_store import FeatureStore, open_store
from tests.conftest import BERT_SIZE, autocast
from tests.token_indexers.utf8_indexer_test import batch_of

# Whole words, words of several pieces, and one without a piece, as in some reviews.
WORDS = ["The", "Gripping", "beekeeper", "'s", "zzyzx", "\ufffd", "well-written", "book", "."]
MARKS = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")


def embedder(bert, **options):
    params = {"type": "transformer_features", "model_name": str(bert), "bfloat16": False, **options}
    return TokenEmbedder.from_params(Params(params))


def embed(module, *texts):
    return module(**batch_of(texts)["words"])


def by_hand(bert, words, layer=-1):
    """Return the mean of each word's pieces in a layer of BERT, by transformers, and BERT itself."""
    pieces = BertTokenizerFast.from_pretrained(bert)(words, is_split_into_words=True)
    model = BertModel.from_pretrained(bert).to(torch.get_default_dtype()).eval()
    output = model(torch.tensor([pieces["input_ids"]]), output_hidden_states=True)
    states = output.hidden_states[layer][0]
    of_word = [[i for i, word in enumerate(pieces.word_ids()) if word == w] for w in range(len(words))]
    return torch.stack([states[i].mean(0) if i else torch.zeros(BERT_SIZE) for i in of_word]), model


def expected(bert, words, layer=-1):
    return by_hand(bert, words, layer)[0].detach()


@pytest.fixture
def forward():
    """BERT's forward pass, which counts its calls."""
    forward = BertModel.forward
    with mock.patch.object(BertModel, "forward", autospec=True, side_effect=forward) as counted:
        yield counted


def test_what_is_padded_beside_a_text_changes_nothing(bert, tmp_path):
    copy = shutil.copytree(bert, tmp_path / "left")
    BertTokenizerFast.from_pretrained(bert, padding_side="left").save_pretrained(copy)
    found = embed(embedder(copy, cache=False), WORDS, WORDS[:2])
    torch.testing.assert_close(found[0], expected(bert, WORDS))
    torch.testing.assert_close(found[1, :2], expected(bert, WORDS[:2]))
    # What was computed beside other padding is in caches.
    assert embedder(copy)._keys_of([WORDS]) != embedder(bert)._keys_of([WORDS])


LEFT = [(None, 2), ([0], 0), ([1], 1), ([-1], 2), ([2, 0], 2), ([-2, 1], 1)]


@pytest.mark.parametrize("layers, left", LEFT)
def test_features_are_the_mean_of_the_pieces(bert, layers, left):
    """The last layer is the default. Those above are not there. Training changes nothing."""
    module, other = (embedder(bert, cache=False, layers=layers).train() for _ in range(2))
    assert len(module.transformer.encoder.layer) == left
    features = torch.cat([expected(bert, WORDS, layer) for layer in layers or [-1]], dim=1)
    assert not features[5].any()  # the word without a piece
    found = embed(module, WORDS)
    torch.testing.assert_close(found[0], features)
    assert not found.requires_grad
    assert isinstance(module, TokenEmbedder) and module.get_output_dim() == features.size(1)
    other.load_state_dict(module.state_dict())


@pytest.mark.parametrize(
    ("bfloat16", "train_parameters", "is_used"),
    ((None, False, True), (False, False, False), (None, True, False), (True, True, True)),
)
@pytest.mark.parametrize("instructions", ("avx512_bf16", "amx_bf16", "avx2"))
def test_bfloat16_where_the_processor_has_it(
    bert, monkeypatch, instructions, bfloat16, train_parameters, is_used
):
    has, is_used = {"avx512_bf16": False, instructions: True}, is_used and instructions != "avx2"
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: has, raising=False)
    exact = embedder(bert, cache=False)
    module = embedder(bert, cache=False, bfloat16=bfloat16, train_parameters=train_parameters).eval()
    features = embed(module, WORDS)
    assert features.dtype == torch.float32
    assert torch.equal(features, embed(exact, WORDS)) != is_used
    torch.testing.assert_close(features, embed(exact, WORDS), rtol=1e-2, atol=1e-2)
    assert (module._keys_of([WORDS])[0] != exact._keys_of([WORDS])[0]) == is_used
    if train_parameters:
        features.sum().backward()
        assert {weight.grad.dtype for weight in module.parameters() if weight.grad is not None} == {
            torch.float32
        }


def test_bfloat16_converts_weights_once_and_follows_them(bert, monkeypatch):
    """The features are those of autocast, which converts the weights in every call."""
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: {"amx_bf16": True}, raising=False)
    module, plain = (embedder(bert, cache=False, bfloat16=True) for _ in range(2))
    monkeypatch.setattr(plain, "_with_low_weights", lambda: plain.transformer)
    weights, before = list(module.state_dict()), embed(module, WORDS)
    assert torch.equal(before, embed(plain, WORDS))
    assert module._with_low_weights() is module._with_low_weights()
    for each in (module, plain):
        with torch.no_grad():
            each.transformer.encoder.layer[0].output.dense.weight.mul_(2)
    after = embed(module, WORDS)
    assert torch.equal(after, embed(plain, WORDS)) and not torch.equal(after, before)
    assert list(module.state_dict()) == weights
    assert {weight.dtype for weight in module.parameters()} == {torch.float32}


def test_layers_stay_where_the_last_is_not_like_the_others(bert, monkeypatch):
    """As in transformers with an additional normalization after the last layer."""
    forward = BertEncoder.forward

    def normalised(*args, **kwargs):
        output = forward(*args, **kwargs)
        output.hidden_states = (*output.hidden_states[:-1], output.hidden_states[-1] / 2)
        return output

    monkeypatch.setattr(BertEncoder, "forward", normalised)
    module = embedder(bert, cache=False, layers=[1])
    assert len(module.transformer.encoder.layer) == 2
    torch.testing.assert_close(embed(module, WORDS)[0], expected(bert, WORDS, 1))


def test_texts_of_a_batch_do_not_touch_each_other(bert):
    """Half a surrogate pair is no word."""
    texts = [WORDS, [], WORDS[3:5], ["book"], ["book", "\ud83d"]]
    features = embed(embedder(bert, cache=False), *texts)
    assert features.shape == (5, len(WORDS), BERT_SIZE)
    for words, row in zip(texts[:-1], features):
        if words:
            torch.testing.assert_close(row[: len(words)], expected(bert, words))
        assert not row[len(words) :].any()
    assert features[4, 0].any() and not features[4, 1:].any()


def test_texts_longer_than_bert_are_read_in_parts(bert):
    """A part is 510 pieces and the two special tokens. Here each piece is a word."""
    words = [*"abcdefg"] * 100
    parts = torch.cat([expected(bert, words[:510]), expected(bert, words[510:])])
    torch.testing.assert_close(embed(embedder(bert, cache=False), words)[0], parts)


def test_tuned_features_have_dropout_and_a_gradient(bert, double):
    """The gradient is that of the mean of the pieces."""
    module = embedder(bert, train_parameters=True).double().train()
    exact, reference = by_hand(bert, WORDS)
    assert not torch.allclose(embed(module, WORDS)[0], exact)
    features = embed(module.eval(), WORDS)[0]
    torch.testing.assert_close(features, exact)
    weights = torch.randn(len(WORDS), BERT_SIZE)
    for result in (features, exact):
        (result * weights).sum().backward()
    for (name, ours), theirs in zip(module.transformer.named_parameters(), reference.parameters()):
        if theirs.grad is not None:
            torch.testing.assert_close(ours.grad, theirs.grad, msg=name)


def test_a_text_is_computed_once(bert, tmp_path, forward):
    module = embedder(bert, cache=str(tmp_path))
    first = embed(module, WORDS, ["book"])
    assert forward.call_count == 1
    torch.testing.assert_close(embed(module.train(), ["book"], WORDS), first.flip(0))
    assert forward.call_count == 1
    other = embedder(bert, cache=str(tmp_path))
    assert torch.equal(embed(other, WORDS, ["book"]), first)  # of another run
    assert forward.call_count == 1
    embed(other, WORDS, ["other"])
    assert forward.call_count == 2
    other.adds_to_cache = False  # as predictors do
    for _ in range(2):
        embed(other, ["sent", "to", "a", "service"])
    assert forward.call_count == 4
    alone = embedder(bert, cache=str(tmp_path / "none"))
    alone.adds_to_cache = False
    assert torch.equal(embed(alone, WORDS), embed(module, WORDS))  # as in the training
    assert not (tmp_path / "none").exists()
    torch.testing.assert_close(first[0], expected(bert, WORDS), rtol=1e-3, atol=1e-3)  # in 16 bits


@pytest.mark.parametrize("is_tuned", (False, True))
def test_many_pieces_are_computed_in_groups(bert, forward, monkeypatch, is_tuned):
    """Of like lengths, without the padding of longer ones. Results and gradients are the same."""
    texts = [WORDS * number for number in (4, 1, 5, 2, 3)]
    module = embedder(bert, cache=False, train_parameters=is_tuned).eval()
    found, gradients = [], []
    for together in (10**6, 200):
        monkeypatch.setattr("slstm_allennlp.vectors.transformer_features._TOGETHER", together)
        found.append(embed(module, *texts))
        if is_tuned:
            found[-1].pow(2).sum().backward()
            gradients.append([w.grad for w in module.transformer.parameters() if w.grad is not None])
            module.zero_grad(set_to_none=True)
    torch.testing.assert_close(*found, rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(gradients[:1], gradients[1:], rtol=1e-4, atol=1e-5)
    sizes = [call.kwargs["input_ids"].shape for call in forward.call_args_list]
    assert sizes[0][0] == 5 and len(sizes) > 3
    assert [num_pieces for _, num_pieces in sizes[1:]] == sorted({num for _, num in sizes[1:]})


def test_tokenizers_without_masks_and_special_tokens(bert):
    usual, unmasked, bare = (embedder(bert, cache=False) for _ in range(3))
    unmasked._tokenizer.model_input_names = ["input_ids", "token_type_ids"]
    torch.testing.assert_close(embed(unmasked, WORDS, ["book"]), embed(usual, WORDS, ["book"]))
    bare._tokenizer.backend_tokenizer.post_processor = TemplateProcessing("$A")
    for empty in (["\ufffd"], []):  # the first group of texts has no pieces
        found = embed(bare, empty, ["book"] * 300, ["book"] * 300)
        assert not found[0].any() and found[1:].any(-1).all()


def test_a_full_cache_is_said_once(bert, tmp_path, forward, caplog, monkeypatch):
    monkeypatch.setattr("slstm_allennlp.vectors.transformer_features._TOGETHER", 10**6)  # one pass
    module = embedder(bert, cache=str(tmp_path), cache_gigabytes=2e-4)
    features = [embed(module, [f"w{number}"] * 400) for number in range(40)]
    (message,) = [message for message in caplog.messages if "is full" in message]
    assert str(tmp_path) in message and "cache_gigabytes" in message
    forward.reset_mock()
    torch.testing.assert_close(embed(module, ["w39"] * 400), features[39])  # correct, but not cached
    forward.assert_called_once()


def test_a_cache_that_cannot_be_used(bert, tmp_path):
    (tmp_path / "file").write_text("")
    (tmp_path / str(BERT_SIZE)).mkdir()
    (tmp_path / str(BERT_SIZE) / "data.mdb").write_bytes(b"no database" * 1000)
    message = rf"{BERT_SIZE}: the cache of features cannot be used .*"
    for folder, advice in ((tmp_path / "file", ""), (tmp_path, "remove it")):
        with pytest.raises(ConfigurationError, match=message + advice):
            embed(embedder(bert, cache=str(folder)), WORDS)
    module = embedder(bert, cache=str(tmp_path / "of_other_sizes"))
    module._store(module._cache).put(
        {module._keys_of([WORDS])[0]: numpy.zeros((len(WORDS), BERT_SIZE + 1))}
    )
    with pytest.raises(ConfigurationError, match=message):
        embed(module, WORDS)


def test_a_damaged_cache(tmp_path):
    """Wrong numbers are no features, and a missing page would end the process."""
    store = FeatureStore(tmp_path, 4, 0.1)
    store.put({b"%d" % number: numpy.full((50, 4), number) for number in range(99)})
    store.close()
    path = tmp_path / "data.mdb"
    data = bytearray(path.read_bytes())
    data[data.index(numpy.full((50, 4), 7, numpy.float16).tobytes()) + 9] ^= 1
    path.write_bytes(data)
    found = store.get([b"%d" % number for number in range(99)])
    assert [number for number, matrix in enumerate(found) if matrix is None] == [7]
    assert (found[8] == 8).all() and found[8].shape == (50, 4)
    store.close()
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(
        ConfigurationError, match=rf"data\.mdb has {len(data) // 2} bytes, expected .* remove it"
    ):
        store.get([b"1"])


def test_a_strangers_archive_names_no_folder(bert, tmp_path, monkeypatch, caplog):
    monkeypatch.setenv(TRUST, "0")
    with opening():
        module = embedder(bert, cache=str(tmp_path / "here"))
    embed(module, WORDS)
    assert not (tmp_path / "here").exists() and "here is not used, but the default one" in caplog.text


def test_texts_and_models_that_look_alike_have_keys_of_their_own(bert):
    cached_transformers._clear_caches()
    settings = [{}, {}, {}, {"max_length": 8}, {"layers": [2, 0]}, {"layers": [1]}, {"layers": [-2]}]
    embedders = [embedder(bert, cache=False, **each) for each in settings]
    module, relu, tuned, *_ = embedders
    relu.transformer.config.hidden_act = "relu"
    tuned.transformer.embeddings.LayerNorm.bias.data += 1
    keys = [each._keys_of([WORDS])[0] for each in embedders]
    assert len(set(keys)) == 6 and keys[-2] == keys[-1]  # of 2 layers, -2 is layer 1
    embed(module, WORDS)  # the first call sets the tokenizer's truncation, which is not part of the key
    module._fingerprint = None, b""
    assert module._keys_of([WORDS])[0] == keys[0]
    module.transformer.load_state_dict(tuned.transformer.state_dict())
    assert module._keys_of([WORDS])[0] == keys[2]
    module.transformer.requires_grad_(True)
    assert embed(module, WORDS).requires_grad
    with autocast(torch.bfloat16):
        assert embedders[4]._keys_of([WORDS])[0] not in keys
    assert embedders[4]._keys_of([WORDS])[0] == keys[4]
    texts = (["a", "b"], ["a\0b"], ["ab"], [], [""], ["", ""])
    assert len(set(module._keys_of(texts))) == len(texts)


def read(folder):
    return open_store(folder, 4, 0.1).get([b"key"])[0].tolist()


def test_both_processes_read_after_a_fork(tmp_path):
    """LMDB has room for 126 readers. After a fork, each call took one for good, for all processes."""
    open_store(tmp_path, 4, 0.1).put({b"key": numpy.ones((1, 4))})
    assert open_store(Path(os.path.relpath(tmp_path)), 4, 0.1) is open_store(tmp_path, 4, 0.1)
    with get_context("fork").Pool(1) as pool:
        assert pool.map(read, [tmp_path] * 200, chunksize=1) == [[[1.0] * 4]] * 200
        assert read(tmp_path) == [[1.0] * 4]
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as other:
            assert other.submit(read, tmp_path).result() == [[1.0] * 4]


def test_weights_in_bfloat16_have_a_key(bert, tmp_path):
    features = embed(embedder(bert, cache=str(tmp_path)).bfloat16(), WORDS)
    assert features.dtype == torch.bfloat16
    torch.testing.assert_close(features[0].float(), expected(bert, WORDS), rtol=0.1, atol=0.1)


def test_two_embedders_do_not_share_what_a_call_sets(bert):
    """Threads that called both raised an error: a tokenizer keeps the last `max_length`."""
    first, second = (embedder(bert, cache=False, max_length=length) for length in (8, 512))
    assert first._tokenizer is not second._tokenizer


def enlarge(folder):
    store = open_store(folder, BERT_SIZE, 1.0)
    store.put({b"%d" % number: numpy.ones((9000, BERT_SIZE)) for number in range(20)})


@pytest.mark.slow
def test_a_file_that_another_process_has_enlarged(bert, tmp_path):
    module = embedder(bert, cache=str(tmp_path), cache_gigabytes=1e-3)
    first = embed(module, WORDS)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        pool.submit(enlarge, tmp_path / str(BERT_SIZE)).result()
    assert torch.equal(embed(module, WORDS), first)
    embed(module, ["new"])


def test_a_default_cache_that_cannot_be_used_is_done_without(bert, tmp_path, monkeypatch, caplog):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("SLSTM_ALLENNLP_CACHE", str(tmp_path / "file"))
    torch.testing.assert_close(embed(embedder(bert), WORDS)[0], expected(bert, WORDS))
    assert "the cache of features cannot be used" in caplog.text
    caplog.clear()
    monkeypatch.setenv("SLSTM_ALLENNLP_CACHE", str(tmp_path / "damaged"))
    module = embedder(bert)
    module._store(module._cache).put(
        {module._keys_of([WORDS])[0]: numpy.zeros((len(WORDS), BERT_SIZE + 1))}
    )
    for _ in range(2):  # what is read is damaged; from then on nothing is read
        torch.testing.assert_close(embed(module, WORDS)[0], expected(bert, WORDS))
    (message,) = [message for message in caplog.messages if "cache of features" in message]
    assert message.startswith(f"{tmp_path}/damaged/features/{BERT_SIZE}: ")


def test_an_archive_needs_no_folder(bert, tmp_path):
    """Sizes, tokenizer and weights come from the run."""
    folder, run = shutil.copytree(bert, tmp_path / "bert"), str(tmp_path / "run")
    (tmp_path / "run" / "vocabulary").mkdir(parents=True)  # as AllenNLP does
    module = embedder(folder, cache=False, serialization_dir=run)
    state = module.state_dict()
    shutil.rmtree(folder)
    cached_transformers._clear_caches()
    with pytest.raises((ConfigurationError, OSError)):
        embedder(folder, cache=False)
    again = embedder(folder, cache=False, serialization_dir=run)
    with pytest.raises(ConfigurationError, match="no weights were loaded"):
        embed(again, WORDS)
    again.load_state_dict(state)
    torch.testing.assert_close(embed(again, WORDS), embed(module, WORDS))


def test_half_precision_halves_the_state(bert):
    module, again = (embedder(bert, cache=False, half_precision=half) for half in (True, False))
    state = module.state_dict()
    assert {value.dtype for value in state.values() if value.is_floating_point()} == {torch.float16}
    again.load_state_dict(state)
    assert again.transformer.embeddings.LayerNorm.weight.dtype == torch.float32
    assert torch.equal(embed(again, WORDS), embed(module, WORDS))
    assert again._keys_of([WORDS]) == module._keys_of([WORDS])  # prediction finds what training has kept


def test_a_package_like_it(bert, tmp_path, monkeypatch):
    """The model is in a folder of an installed package, whose code is not executed."""
    shutil.copytree(bert, tmp_path / "some_bert" / "model")
    (tmp_path / "some_bert" / "__init__.py").write_text("raise RuntimeError('imported')")
    monkeypatch.syspath_prepend(tmp_path)
    module = embedder("some-bert", cache=False)
    torch.testing.assert_close(embed(module, WORDS)[0], expected(bert, WORDS))


@pytest.mark.parametrize(
    "options, message",
    (
        ({"cache_gigabytes": 0}, "cache_gigabytes is 0, expected a number above 0"),
        ({"max_length": 513}, "max_length is 513, expected 3 to 512"),
        ({"max_length": 2}, "max_length is 2, expected 3 to 512"),
        ({"layers": []}, r"layers is \[\], expected a list of numbers from 0 to 2, the last layer of"),
        ({"layers": [3]}, r"layers is \[3\], expected .* from 0 to 2, .* or from -1 .* down to -3"),
        ({"layers": [-4]}, r"layers is \[-4\], expected"),
        ({"half_precision": True, "train_parameters": True}, "half_precision is true, expected false"),
    ),
)
def test_options_that_do_not_fit(bert, options, message):
    with pytest.raises(ConfigurationError, match=message):
        embedder(bert, **options)


def test_a_tokenizer_that_marks_spaces(bert, tmp_path):
    """RoBERTa's tokenizer takes split words only with `add_prefix_space`."""
    bpe = ByteLevelBPETokenizer()
    bpe.train_from_iterator([" ".join(WORDS)] * 9, vocab_size=300, special_tokens=list(MARKS))
    folder = tmp_path / "roberta"
    shutil.copytree(bert, folder, ignore=shutil.ignore_patterns("*token*", "vocab*"))
    bpe.save_model(str(folder))
    marks = dict(zip(("cls_token", "pad_token", "sep_token", "unk_token", "mask_token"), MARKS))
    RobertaTokenizerFast(f"{folder}/vocab.json", f"{folder}/merges.txt", **marks).save_pretrained(folder)
    (features,) = embed(embedder(folder), WORDS)
    assert features.shape == (len(WORDS), BERT_SIZE) and features.abs().sum(1).gt(0).all()
    # It has 514 positions, and begins with the third.
    folder = shutil.copytree(folder, tmp_path / "other")
    sizes = {"vocab_size": 300, "hidden_size": 12, "num_hidden_layers": 1, "num_attention_heads": 2}
    config = RobertaConfig(**sizes, intermediate_size=24, max_position_embeddings=514)
    RobertaModel(config).save_pretrained(folder)
    assert embed(embedder(folder, cache=False), ["a"] * 600).shape == (1, 600, 12)
    with pytest.raises(ConfigurationError, match="max_length is 513, expected 3 to 512"):
        embedder(folder, max_length=513)


def test_a_tokenizer_without_types(tmp_path):
    """GPT-2 adds the vector of piece 0 to pieces of type 0, and its tokenizer gives no types."""
    folder, run = tmp_path / "gpt2", tmp_path / "run"
    folder.mkdir()
    (run / "vocabulary").mkdir(parents=True)
    bpe = ByteLevelBPETokenizer()
    bpe.train_from_iterator([" ".join(WORDS)] * 9, vocab_size=300, special_tokens=list(MARKS))
    files = bpe.save_model(str(folder))
    tokenizer = GPT2TokenizerFast(*files, pad_token="<pad>", add_prefix_space=True)
    model = GPT2Model(GPT2Config(bpe.get_vocab_size(), n_embd=12, n_layer=1, n_head=2)).eval()
    for part in (tokenizer, model):
        part.save_pretrained(folder)
    words = ["book", "well"]
    pieces = tokenizer(words, is_split_into_words=True, return_tensors="pt")
    states = model(**pieces).last_hidden_state[0].detach()
    of_word = [[i for i, word in enumerate(pieces.word_ids()) if word == w] for w in range(2)]
    known = torch.stack([states[of_one].mean(0) for of_one in of_word])
    module = embedder(folder, cache=False, serialization_dir=str(run))
    torch.testing.assert_close(embed(module, words)[0], known)
    other = embedder(folder)  # as that of a strange archive may be
    other._tokenizer.model_input_names = [*other._tokenizer.model_input_names, "token_type_ids"]
    assert other._keys_of([words]) != module._keys_of([words])
    state = module.state_dict()
    shutil.rmtree(folder)
    cached_transformers._clear_caches()
    again = embedder(folder, cache=False, serialization_dir=str(run))
    again.load_state_dict(state)
    torch.testing.assert_close(embed(again, words)[0], known)


def test_a_slow_tokenizer(bert, monkeypatch):
    slow = BertTokenizer.from_pretrained(bert)
    monkeypatch.setattr(cached_transformers, "get_tokenizer", lambda *_: slow)
    with pytest.raises(ConfigurationError, match="expected a fast one"):
        embedder(bert)
