"""`TraceRecorder` on the S-LSTMs of every model: the words that they read, and their traces."""

import pytest
import torch
from allennlp.common.util import sanitize
from allennlp.data import Batch, Instance, Token, Vocabulary
from allennlp.data.fields import TextField
from allennlp.data.token_indexers import SingleIdTokenIndexer
from allennlp.models import Model
from allennlp.modules.text_field_embedders import BasicTextFieldEmbedder
from allennlp.modules.token_embedders import Embedding
from allennlp.nn.util import get_text_field_mask

from slstm_allennlp.encoders import SlstmSeq2SeqEncoder, SlstmSeq2VecEncoder
from slstm_allennlp.inside import TraceRecorder
from slstm_allennlp.modules import AdditiveAttention
from tests.conftest import nearly
from tests.models.swap_test import CASES, build, name_of

ROUNDING = {"abs": 1e-5, "nan_ok": True}
# In these, an S-LSTM reads only a part of a text field, or the text field is ambiguous.
UNKNOWN = {
    "dialog_qa": {None, "question", "passage"},
    "multitask": {None},
    "bidaf, without masks": {None, "question", "passage"},
}


@pytest.mark.parametrize("case", CASES)
def test_in_every_model(case, bert):
    _, instances, model = build(CASES[case], name_of(case), bert)
    model.eval()
    some = instances[:2]
    # AllenNLP's parsers return NaN at padding.
    expected = nearly(sanitize(model.forward_on_instances(some)), **ROUNDING)
    with TraceRecorder(model) as recorder:
        assert sanitize(model.forward_on_instances(some)) == expected
    readings = recorder.take()
    assert readings and not recorder.take()
    texts = {n: f for n, f in some[0].fields.items() if isinstance(f, TextField)}
    assert {reading.field for reading in readings} <= UNKNOWN.get(case, set(texts))
    for reading in readings:
        count = int(reading.trace.mask[reading.row].sum()) - 2 * reading.settings.boundary
        if reading.field is not None:
            text = some[reading.row][reading.field]
            assert reading.words == [token.text for token in text.tokens] and len(reading.words) == count
    assert sanitize(model.forward_on_instances(some)) == expected
    assert not recorder.take()


class TwoTexts(Model):
    """Embed both texts, and then read the second one first, or both at once."""

    def __init__(self, vocab, both_at_once=False):
        super().__init__(vocab)
        embedding = Embedding(4, num_embeddings=vocab.get_vocab_size("tokens"))
        self.embedder = BasicTextFieldEmbedder({"tokens": embedding})
        self.first, self.second = (SlstmSeq2VecEncoder(4, 3, num_steps=2) for _ in range(2))
        self.both_at_once = both_at_once

    def forward(self, one, two):
        mask, texts = get_text_field_mask(one), [self.embedder(one), self.embedder(two)]
        if self.both_at_once:
            return {"one": self.first(sum(texts), mask)}
        two = self.second(inputs=texts[1].tanh_(), mask=mask)
        one, none = self.first(texts[0], mask), self.first(texts[0].detach(), mask)
        return {"one": one, "two": two, "none": none}


def two_texts(**options):
    """Return a model and two instances, each with two texts. All texts have the same length."""
    indexers = {"tokens": SingleIdTokenIndexer()}

    def field(text):
        return TextField(list(map(Token, text.split())), indexers)

    texts = (("a warm film", "the dull end"), ("it rains hard", "we stay in"))
    instances = [Instance({"one": field(one), "two": field(two)}) for one, two in texts]
    return TwoTexts(Vocabulary.from_instances(instances), **options).eval(), instances


class OfLengths(TwoTexts):
    def forward(self, one, two):
        lengths = get_text_field_mask(one).sum(1)
        return {"one": self.first._module(self.embedder(one), lengths=lengths)[1]}


def test_lengths_in_the_place_of_a_mask():
    _, instances = two_texts()
    instances[1]["one"].tokens.pop()  # one text is padded
    model = OfLengths(Vocabulary.from_instances(instances)).eval()
    expected = sanitize(model.forward_on_instances(instances))
    with TraceRecorder(model) as recorder:
        assert sanitize(model.forward_on_instances(instances)) == nearly(expected, **ROUNDING)
    assert [each.words and len(each.words) for each in recorder.take()] == [3, 2]


def recorded(model, instances, **options):
    with TraceRecorder(model, **options) as recorder:
        outputs = model.forward_on_instances(instances)
    return recorder.take(), outputs


def test_texts_of_one_length_are_not_taken_for_one_another():
    readings, outputs = recorded(*two_texts())
    found = [(each.encoder, each.field, each.words and " ".join(each.words)) for each in readings]
    assert found == [
        ("second", "two", "the dull end"),
        ("second", "two", "we stay in"),
        ("first", "one", "a warm film"),
        ("first", "one", "it rains hard"),
        *[("first", None, None)] * 2,
    ]
    assert (outputs[0]["one"] == outputs[0]["none"]).all()
    # What may be one text or the other is not known.
    readings, _ = recorded(*two_texts(both_at_once=True))
    assert [(reading.field, reading.words) for reading in readings] == [(None, None)] * 2
    # Nothing is kept of an earlier batch: without instances, as in training, the words are unknown.
    model, instances = two_texts()
    batch = Batch(instances)
    batch.index_instances(model.vocab)
    with TraceRecorder(model) as recorder:
        model.forward_on_instances(instances)
        recorder.take()
        model(**batch.as_tensor_dict())
    assert recorder._embedded == []
    readings = recorder.take()
    assert [reading.words for reading in readings] == [None] * 6
    assert not any(reading.trace.h.requires_grad for reading in readings)


class Attending(Model):
    """An S-LSTM over the words of another one, each with attention, and attention over other states."""

    def __init__(self, vocab):
        super().__init__(vocab)
        self.embedder = TwoTexts(vocab).embedder
        self.first = SlstmSeq2SeqEncoder(4, 3, num_steps=2)
        self.second = SlstmSeq2SeqEncoder(3, 3, num_steps=2, transition="fastnlp")
        self.third = SlstmSeq2SeqEncoder(4, 3, num_steps=2)
        self.attentions = torch.nn.ModuleList(AdditiveAttention(3) for _ in range(2))
        self.other = AdditiveAttention(3)

    def forward(self, one, two):
        mask, embedded = get_text_field_mask(one), self.embedder(one)
        first = self.first(embedded, mask)
        second = self.second(first, mask)
        third = self.third(embedded, mask)
        vectors = torch.stack([self.attentions[0](first, mask), self.attentions[1](second, mask)], 1)
        others = [  # not over an S-LSTM's words
            self.other(third * 2, mask),
            self.other(third[1:], mask[1:]).expand(2, 3),
            self.other(third, mask & (mask.cumsum(1) > 1)),
            self.other(third, None),
            self.other(vectors, None),
        ]
        return {"vectors": vectors, "others": torch.stack(others, 1)}


def test_attention_is_that_over_the_encoders_own_words():
    _, instances = two_texts()
    instances[1]["one"].tokens.pop()  # one text is padded
    model = Attending(Vocabulary.from_instances(instances)).eval()
    expected = model.forward_on_instances(instances)
    with TraceRecorder(model) as recorder:
        outputs = model.forward_on_instances(instances)
    readings = recorder.take()
    assert sanitize(outputs) == nearly(sanitize(expected), **ROUNDING) and recorder._encoded == []
    assert [reading.encoder for reading in readings] == ["first"] * 2 + ["second"] * 2 + ["third"] * 2
    for reading, number in zip(readings, (0, 0, 1, 1)):
        attention = model.attentions[number]
        states = reading.trace.words[reading.row, : len(reading.words)]
        scores = [attention.u.weight[0] @ torch.tanh(attention.W(state)) for state in states]
        weights = torch.stack(scores).exp() / sum(score.exp() for score in scores)
        torch.testing.assert_close(reading.attention, weights.detach())
    assert [reading.attention for reading in readings[4:]] == [None, None]


def test_more_steps_and_a_drawn_start_leave_the_results_alone():
    model, instances = two_texts()
    expected = model.forward_on_instances(instances)
    readings, outputs = recorded(model, instances, more_steps=5)
    assert sanitize(outputs) == nearly(sanitize(expected), **ROUNDING)
    assert {len(reading.trace.h) for reading in readings} == {1 + 2 + 5}
    # If the initial state is random, the trace is of the pass that made the prediction.
    model, instances = two_texts()
    uniform = {"preset": "released", "initial_state": "uniform"}
    model.first = SlstmSeq2VecEncoder(4, 4, num_steps=2, transition=uniform).eval()
    readings, outputs = recorded(model, instances)
    reading = next(reading for reading in readings if reading.encoder == "first")
    torch.testing.assert_close(reading.trace.sentence[0], torch.tensor(outputs[0]["one"]))


def test_a_failure_leaves_the_model_as_it_was():
    model, instances = two_texts()
    with pytest.raises(TypeError, match="two"), TraceRecorder(model):
        model.forward_on_instances([Instance({"one": instances[0]["one"]})])
    watched = {"forward", "forward_on_instances"}
    assert not any(watched & set(vars(module)) for module in model.modules())
    model.first = model.second = torch.nn.Identity()
    with pytest.raises(ValueError, match="TwoTexts has no S-LSTM, expected one"):
        TraceRecorder(model)
