import pytest
import torch

from slstm_allennlp.inside.gate_histograms import BINS, GateHistograms, Histogram, Place
from slstm_allennlp.modules import CellAwareStackedLSTM, CoupledLSTM
from slstm_allennlp.ops.cas_lstm import naive_cas_lstm


def test_a_histogram_of_numbers():
    histogram = Histogram()
    values = torch.tensor([0.0, 0.01, 0.5, 1.0])
    histogram.add(values[:1])
    histogram.add(values[1:])
    result = histogram.as_dict()
    assert result["count"] == sum(result["counts"]) == 4
    assert result["counts"][0] == 2 and result["counts"][BINS // 2] == 1 and result["counts"][-1] == 1
    assert result["mean"] == pytest.approx(values.mean().item())
    assert result["std"] == pytest.approx(values.std(unbiased=False).item())


def test_gates_are_those_of_the_equations(double):
    """Compare with the naive version: by layer and direction, over two batches, without padding."""
    module = CellAwareStackedLSTM(3, 4, 3, bidirectional=True)
    mask = torch.tensor([[True, True, True], [True, False, False]])
    batches = [torch.randn(2, 3, 3), torch.randn(2, 3, 3)]
    with GateHistograms(torch.nn.ModuleDict({"encoder": module})) as watch:
        for inputs in batches:
            module(inputs, mask)
    module(batches[0], mask)  # not watched
    layers = [layer.weights for layer in module.layers]
    sentences = [inputs[i, :n] for inputs in batches for i, n in enumerate((3, 1))]
    states = [naive_cas_lstm(sentence, layers) for sentence in sentences]
    assert set(watch.histograms) == {
        Place("encoder", layer, direction) for layer in (2, 3) for direction in ("forward", "backward")
    }
    for place, histograms in watch.histograms.items():
        d, number = ("forward", "backward").index(place.direction), place.layer - 1
        g = torch.cat([s[number].g[:, d] for s in states])
        o = torch.cat([s[number - 1].o[:, d] for s in states])
        expected = {
            "gate": g,
            "range": g.max(dim=1).values - g.min(dim=1).values,
            "difference": abs(g - o),
        }
        for key, values in expected.items():
            result = histograms[key].as_dict()
            assert result["count"] == values.numel()
            assert result["mean"] == pytest.approx(values.mean().item())
            assert result["std"] == pytest.approx(values.std(unbiased=False).item())
            counts = torch.histc(values, BINS, 0, 1).long()
            assert result["counts"] == counts.tolist()


def test_without_a_mask_and_with_nothing_to_read():
    module = CellAwareStackedLSTM(3, 4)
    with GateHistograms(module) as watch:
        module(torch.zeros(2, 0, 3), None)
        assert not watch.histograms
        module(torch.randn(2, 5, 3), None)
        module(torch.randn(2, 5, 3), torch.arange(5) < torch.tensor([[5], [2]]))
    (histograms,) = watch.histograms.values()
    assert histograms["range"].as_dict()["count"] == 10 + 7


@pytest.mark.skipif(torch.__version__ < "2", reason="PyTorch 1 hides arguments by name from hooks")
def test_arguments_by_name():
    module = CellAwareStackedLSTM(3, 4)
    inputs, mask = torch.randn(2, 5, 3), torch.arange(5) < torch.tensor([[5], [2]])
    plain = module(inputs, mask)
    with GateHistograms(module) as watch:
        torch.testing.assert_close(module(inputs=inputs, mask=mask), plain)
    (histograms,) = watch.histograms.values()
    assert histograms["range"].as_dict()["count"] == 7


def test_gates_that_are_not_numbers():
    module = CellAwareStackedLSTM(3, 4)
    with (
        GateHistograms(module),
        pytest.raises(ValueError, match="layer 2, forward: the gate is not finite"),
    ):
        module(torch.full((1, 2, 3), float("nan")), None)


@pytest.mark.parametrize(
    "module", [CellAwareStackedLSTM(3, 4, num_layers=1), CoupledLSTM(3, 4), torch.nn.Linear(3, 4)]
)
def test_nothing_to_watch(module):
    with pytest.raises(ValueError, match="has no CAS-LSTM of two layers or more, expected one"):
        GateHistograms(module)
