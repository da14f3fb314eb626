import pytest

from slstm_allennlp.modules import CoupledLSTM


@pytest.mark.parametrize("layers", [1, 3])
def test_number_of_parameters(layers, d=5, h=7):
    """Eq. 1 in two directions: 4 (d h + h² + h) each, the initial h and c, and ⟨s⟩ and ⟨/s⟩."""
    module = CoupledLSTM(d, h, layers, bidirectional=True)
    expected = 2 * d
    for size in [d, *[2 * h] * (layers - 1)]:
        expected += 2 * (4 * (size * h + h * h + h) + 2 * h)
    assert sum(p.numel() for p in module.parameters()) == expected


def test_what_it_starts_from():
    """Weights are from U(-1/√h, 1/√h), as in torch.nn.LSTM, and initial states are zero."""
    module = CoupledLSTM(50, 100, 2, bidirectional=True)
    for layer in module.layers:
        assert not layer.initial_h.any() and not layer.initial_c.any()
        for weight in (layer.W, layer.U, layer.b):
            assert weight.abs().max() <= 0.1 and abs(weight.std() - 0.1 / 3**0.5) < 0.005
    assert 0.05 < module.boundary_inputs.std() < 0.15
