import pytest
import torch

from slstm_allennlp.modules import CellAwareStackedLSTM
from slstm_allennlp.ops.cas_lstm import FORGET_OFFSET
from tests.modules.common import randomized


@pytest.mark.parametrize("num_layers", [1, 2, 3])
@pytest.mark.parametrize("bidirectional", [False, True])
def test_without_lambda_it_is_a_stack_of_lstms(double, num_layers, bidirectional):
    """With λ = 0, layers equal torch.nn.LSTM with the same weights and the forget gates' offset."""
    module = randomized(CellAwareStackedLSTM(3, 4, num_layers, bidirectional, fusion=0.0))
    inputs = torch.randn(2, 5, 3)
    words, _ = module(inputs)
    for direction in range(module.directions):
        states = inputs.flip(1) if direction else inputs
        for number, layer in enumerate(module.layers):
            lstm = torch.nn.LSTM(states.size(-1), 4, batch_first=True)
            W, U, b = (weight[direction, :4].detach().clone() for weight in layer.weights[:3])
            b[1] += FORGET_OFFSET if number else 0
            lstm.weight_ih_l0.data, lstm.weight_hh_l0.data = W.flatten(0, 1), U.flatten(0, 1)
            lstm.bias_ih_l0.data, lstm.bias_hh_l0.data = b.flatten(), torch.zeros(16)
            states, _ = lstm(states.contiguous())
        states = states.flip(1) if direction else states
        torch.testing.assert_close(words.view(2, 5, -1, 4)[:, :, direction], states)


@pytest.mark.parametrize("fusion, extra", [(0.5, 0), ("sum", 0), ("trainable", 7), ("peephole", -35)])
@pytest.mark.parametrize("d, num_layers, directions", [(5, 1, 1), (5, 3, 1), (5, 3, 2)])
def test_number_of_parameters(d, num_layers, directions, fusion, extra):
    """The footnote: (d + h + 1) × 4h in the first layer, (h + h + 1) × 5h above; peepholes 2h for h²."""
    h = 7
    module = CellAwareStackedLSTM(d, h, num_layers, directions == 2, fusion)
    above = (num_layers - 1) * ((h + h + 1) * 5 * h + extra)
    expected = directions * ((d + h + 1) * 4 * h + above)
    assert sum(p.numel() for p in module.parameters()) == expected


def test_what_it_starts_from():
    """U is orthogonal, biases are 0 except the first layer's forget gate, trainable λ is about 0.5."""
    module = CellAwareStackedLSTM(50, 100, 2, bidirectional=True, fusion="trainable")
    for number, layer in enumerate(module.layers):
        for U in layer.weights.U.flatten(0, 1):
            torch.testing.assert_close(U @ U.T, torch.eye(100), atol=1e-4, rtol=0)
        assert (layer.b[:, 1] == (0 if number else 1)).all()
        assert not layer.b[:, 0].any() and not layer.b[:, 2:].any()
        assert layer.weights.W.abs().max() <= 0.1 and abs(layer.weights.W.std() - 0.1 / 3**0.5) < 0.005
    assert 0.07 < module.layers[1].fusion_logits.std() < 0.13
    assert abs(module.layers[1].weights.fusion.mean() - 0.5) < 0.01


@pytest.mark.parametrize("shape", [(0, 4, 3), (2, 0, 3)])
def test_no_states_without_words(shape):
    with pytest.raises(ValueError, match=r"inputs have shape .*, 3\), expected at least one word"):
        CellAwareStackedLSTM(3, 2).states(torch.zeros(shape))


def test_a_constant_lambda_is_no_part_of_a_checkpoint():
    module = CellAwareStackedLSTM(3, 2)
    assert not any("fusion" in name for name in module.state_dict())
    CellAwareStackedLSTM(3, 2, fusion=0.25).load_state_dict(module.state_dict())
    assert (CellAwareStackedLSTM(3, 2, fusion=0.1).double().layers[1].weights.fusion == 0.1).all()
