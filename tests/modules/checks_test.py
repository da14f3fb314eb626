"""Arguments, inputs and masks that are wrong, for every module, and inputs in low precision."""

import warnings

import pytest
import torch
from torch.nn.utils.rnn import pack_sequence

from slstm_allennlp import modules
from slstm_allennlp.modules import CellAwareStackedLSTM, CoupledLSTM, SentenceStateLSTM, StackedCNN
from tests.conftest import autocast
from tests.modules.common import MODULES, RECURRENT

WORDS = torch.zeros(3, 5, 6)
SIZES, FLAGS = ("num_steps", "input_size", "hidden_size", "window_size"), ("layer_norm", "recompute")
OF_LAYERS = [
    ({"input_size": 0}, "input_size is 0, expected an integer of at least 1"),
    ({"hidden_size": 2.0}, "hidden_size is 2.0"),
    ({"num_layers": True}, "num_layers is True"),
    ({"bidirectional": 1}, "bidirectional is 1, expected True or False"),
    ({"dropout": 1.5}, "dropout is 1.5, expected a rate from 0 to 1"),
]


def test_every_module_is_in_the_tests_of_all():
    assert {type(make()).__name__ for make in MODULES.values()} == {*modules.__all__}


@pytest.mark.parametrize(
    "module, options, message",
    [
        *((SentenceStateLSTM, {name: 0}, f"{name} is 0, expected an integer of at l") for name in SIZES),
        (SentenceStateLSTM, {"num_sentence_nodes": -1}, "nodes is -1, expected an integer of at least"),
        (SentenceStateLSTM, {"boundary": "yes"}, "boundary is 'yes', expected one of False, True"),
        *((SentenceStateLSTM, {name: 1}, f"{name} is 1, expected True or False") for name in FLAGS),
        (SentenceStateLSTM, {"transition": "fastnpl"}, r"preset 'fastnpl', did you mean 'fastnlp'\?"),
        (SentenceStateLSTM, {"transition": "best"}, "'best', expected one of 'paper', 'released', 'fas"),
        (SentenceStateLSTM, {"transition": {"start": "input"}}, "choice 'start', expected one of 'cand"),
        (SentenceStateLSTM, {"transition": {"window": "sum"}}, "window is 'sum', did you mean 'summed'"),
        (SentenceStateLSTM, {"transition": {"project_input": 1}}, "project_input is 1, expected one of"),
        (SentenceStateLSTM, {"transition": "released", "input_size": 5}, "is 5 and hidden_size is 4"),
        *((module, *rest) for module in (CellAwareStackedLSTM, CoupledLSTM) for rest in OF_LAYERS),
        (CellAwareStackedLSTM, {"fusion": 1.5}, r"fusion is 1.5, expected a number from 0 to 1 or one "),
        (CellAwareStackedLSTM, {"fusion": "mean"}, "fusion is 'mean', expected"),
        (CellAwareStackedLSTM, {"fusion": float("nan")}, "fusion is nan, expected"),
        (CoupledLSTM, {"boundary": None}, "boundary is None"),
        (StackedCNN, {"dropout": True}, "dropout is True, expected a rate from 0 to 1"),
        (StackedCNN, {"window": True}, "window is True, expected an odd number"),
    ],
)
def test_arguments_out_of_range(module, options, message):
    with pytest.raises(ValueError, match=message):
        module(**{"input_size": 4, "hidden_size": 4, **options})


@pytest.mark.parametrize("name", MODULES)
@pytest.mark.parametrize(
    "inputs, mask, message",
    [
        (WORDS.double(), None, r"64 and the weights .*32, .*: convert the \w+ with .to\(torch.float32"),
        (WORDS.long(), None, r"have dtype torch.int64, expected torch.float32, that of the weights$"),
        (pack_sequence([WORDS[0]]), None, r"are a PackedSequence, .* and a mask; .*pad_packed_sequence"),
        (WORDS.numpy(), None, "are a ndarray, expected a tensor"),
        (
            getattr(torch, "nested", torch).nested_tensor([WORDS[0]]),
            None,
            "are a nested tensor, expected a padded tensor",
        ),
        (WORDS, [[True] * 5] * 3, "mask is a list, expected a tensor"),
        (WORDS[0], None, r"have shape \(5, 6\), expected"),
        (WORDS[..., :4], None, r"have shape \(3, 5, 4\), expected .* input_size of 6"),
        # Masks that PyTorch would broadcast.
        (WORDS, torch.ones(3, 1, dtype=torch.bool), r"mask has shape \(3, 1\), expected \(3, 5\)"),
        (WORDS, torch.ones(1, 5, dtype=torch.bool), r"mask has shape \(1, 5\), expected \(3, 5\)"),
        (WORDS, torch.ones(5, dtype=torch.bool), r"mask has shape \(5,\), expected \(3, 5\)"),
        (WORDS, torch.ones(3, 5), r"mask has dtype torch\.float32, expected torch\.bool"),
        (WORDS, torch.arange(15).view(3, 5), r"mask\[0, 2\] is 2, expected 0 or 1, or a boolean mask"),
    ],
)
def test_inputs_and_masks_that_do_not_fit(name, inputs, mask, message):
    with pytest.raises(ValueError, match=message):
        MODULES[name]()(inputs, mask)


@pytest.mark.parametrize("name", MODULES)
@pytest.mark.parametrize("dtype", [torch.int64, torch.complex64])
def test_autocast_takes_no_other_numbers(name, dtype):
    with pytest.raises(ValueError, match=f"have dtype {dtype}, expected"), autocast(torch.bfloat16):
        MODULES[name]()(WORDS.to(dtype), None)


@pytest.mark.parametrize("name", MODULES)
def test_autocast_does_not_convert_double_precision(name):
    with (
        pytest.raises(ValueError, match=r"have dtype torch\.float64 and the w"),
        autocast(torch.bfloat16),
    ):
        MODULES[name]()(WORDS.double(), None)


@pytest.mark.parametrize("transition", ["paper", "fastnlp"])
def test_products_in_bfloat16_take_no_double_precision(transition):
    module = SentenceStateLSTM(6, 6, bfloat16=True, transition=transition)
    with pytest.raises(ValueError, match=r"have dtype torch\.float64 and the weights torch\.float32"):
        module(WORDS.double())


@pytest.mark.parametrize(
    "options, message",
    [
        ({"need_words": [5, 3, 1]}, r"need_words is \[5, 3, 1\], expected True or False"),
        ({"need_words": None}, "need_words is None"),
        ({"need_sentence": "False"}, "need_sentence is 'False'"),
        (
            {"lengths": torch.ones(3, dtype=torch.complex64)},
            "dtype torch.complex64, expected .* integers",
        ),
    ],
)
def test_other_arguments_of_an_slstm(options, message):
    with pytest.raises(ValueError, match=message):
        SentenceStateLSTM(6, 6)(WORDS, None, **options)


@pytest.mark.parametrize("more_steps", [-1, 1.5, None, True])
def test_steps_of_a_trace(more_steps):
    module, inputs = SentenceStateLSTM(6, 6), torch.randn(3, 5, 6)
    with pytest.raises(ValueError, match=f"more_steps is {more_steps}, expected an integer of at lea"):
        module.trace(inputs, more_steps=more_steps)
    found = module.trace(inputs, lengths=[5, 3, 0])
    torch.testing.assert_close(found.words, module(inputs, lengths=[5, 3, 0])[0])


@pytest.mark.cpu
@pytest.mark.parametrize("name", RECURRENT)
@pytest.mark.parametrize("gradients", [torch.enable_grad, torch.no_grad])
def test_weights_on_another_device(name, gradients):
    with gradients(), pytest.raises(RuntimeError):  # PyTorch's own: never the end of the process
        MODULES[name]().to("meta")(WORDS)


HOLES = [
    ([[1, 1, 0], [1, 0, 1]], r"mask\[1\] is False at 1 and True at 2, .* without holes"),
    ([[0, 1, 1], [1, 1, 1]], r"mask\[0\] is False at 0 and True at 1, expected a mask padded on"),
]


@pytest.mark.parametrize("name", RECURRENT)
@pytest.mark.parametrize("mask, message", HOLES)
def test_masks_with_holes(name, mask, message):
    with pytest.raises(ValueError, match=message):
        MODULES[name]()(torch.zeros(2, 3, 6), torch.tensor(mask, dtype=torch.bool))


@pytest.mark.parametrize("name", [*MODULES, "coupled_lstm without boundary"])
@pytest.mark.parametrize("shape", [(0, 4, 6), (3, 0, 6), (0, 0, 6)])
def test_a_batch_without_words_has_a_gradient(name, shape):
    """A process of distributed training may get one."""
    module = MODULES.get(name, lambda: CoupledLSTM(6, 6, boundary=False))()
    inputs = torch.ones(shape, requires_grad=True)
    first, *others = outputs if isinstance(outputs := module(inputs), tuple) else (outputs,)
    # With boundary words, the sentence depends on weights.
    (first.sum() + 0 * sum(each.sum() for each in others)).backward()
    assert not any(each.grad.any() for each in (inputs, *module.parameters()))


@pytest.mark.parametrize("name", MODULES)
def test_half_precision_as_default(name):
    torch.set_default_dtype(torch.bfloat16)
    try:
        module = MODULES[name]()
    finally:
        torch.set_default_dtype(torch.float32)
    assert {parameter.dtype for parameter in module.parameters()} == {torch.bfloat16}


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("name", MODULES)
def test_autocast(name, dtype):
    """The inputs are in float32, like the outputs of other modules, or in autocast's own precision."""
    module, inputs = MODULES[name](), torch.randn(2, 5, 6)
    exact = module(inputs)
    try:
        with autocast(dtype):
            found, low = module(inputs), module(inputs.to(dtype))
    except RuntimeError as error:
        if torch.__version__ >= "2":
            raise
        pytest.skip(f"this PyTorch has no {dtype} on the CPU: {error}")
    if isinstance(exact, tuple):
        exact, found, low = exact[0], found[0], low[0]
    torch.testing.assert_close(found.float(), exact, atol=0.03, rtol=0)
    torch.testing.assert_close(low.float(), exact, atol=0.05, rtol=0)


@pytest.mark.parametrize("has", [False, True, None])
def test_an_slstm_in_bfloat16_warns_where_the_processor_has_no_instructions(monkeypatch, has):
    known = {} if has is None else {"avx512_bf16": has, "amx_bf16": False}
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: known, raising=False)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        SentenceStateLSTM(4, 4)
        assert not caught
        module = SentenceStateLSTM(4, 4, bfloat16=True)
    assert ["bfloat16 is slow here" in str(each.message) for each in caught] == [True] * (has is False)
    assert module(torch.zeros(1, 2, 4, dtype=torch.bfloat16))[0].isfinite().all()
    with pytest.raises(ValueError, match=r"weights have dtype torch\.float16 and bfloat16 is true"):
        module.half()(torch.zeros(1, 2, 4))
