"""The histograms of gates, and allennlp cas-lstm-gates, as a user types it."""

import json

import pytest
import torch
from allennlp.common.checks import ConfigurationError

from slstm_allennlp.inside.gates_command import BINS, GateHistograms, Histogram, Place
from slstm_allennlp.modules import CellAwareStackedLSTM, CoupledLSTM
from slstm_allennlp.ops.cas_lstm import naive_cas_lstm
from tests.conftest import EMBEDDING, ROOT, SMALL_TEXTS


def histogram_of(values):
    counts = torch.histc(values, BINS, 0, 1).long().tolist()
    mean, std = (pytest.approx(each.item()) for each in (values.mean(), values.std(unbiased=False)))
    return {"count": values.numel(), "counts": counts, "mean": mean, "std": std}


def test_a_histogram_of_numbers():
    histogram, values = Histogram(), torch.tensor([0.0, 0.01, 0.5, 1.0])
    histogram.add(values[:1])
    histogram.add(values[1:])
    assert histogram.as_dict() == histogram_of(values)
    alike = Histogram()
    alike.add(torch.full((100,), 0.7))  # the variance is below zero by rounding
    assert alike.as_dict()["std"] == 0


def test_gates_are_those_of_the_equations(double):
    """Compare with the naive version: by layer and direction, over two batches, without padding."""
    module = CellAwareStackedLSTM(3, 4, 3, bidirectional=True)
    mask = torch.tensor([[True, True, True], [True, False, False]])
    batches = [torch.randn(2, 3, 3), torch.randn(2, 3, 3)]
    with GateHistograms(torch.nn.ModuleDict({"encoder": module})) as watch:
        for inputs in batches:
            module(inputs, mask.long())  # as 0 and 1
    module(batches[0], mask)  # not watched
    layers = [layer.weights for layer in module.layers]
    sentences = [inputs[i, :n] for inputs in batches for i, n in enumerate((3, 1))]
    states = [naive_cas_lstm(sentence, layers) for sentence in sentences]
    places = [(layer, d) for layer in (2, 3) for d in (0, 1)]
    assert len(watch.histograms) == len(places)
    for layer, d in places:
        g = torch.cat([s[layer - 1].g[:, d] for s in states])
        o = torch.cat([s[layer - 2].o[:, d] for s in states])
        found = watch.histograms[Place("encoder", layer, ("forward", "backward")[d])]
        assert found["gate"].as_dict() == histogram_of(g)
        assert found["range"].as_dict() == histogram_of(g.amax(dim=1) - g.amin(dim=1))
        assert found["difference"].as_dict() == histogram_of(abs(g - o))


def test_without_a_mask_with_nothing_to_read_and_by_name():
    module = CellAwareStackedLSTM(3, 4)
    inputs, mask = torch.randn(2, 5, 3), torch.arange(5) < torch.tensor([[5], [2]])
    plain = module(inputs, mask)
    with GateHistograms(module) as watch:
        module(torch.zeros(2, 0, 3), None)
        assert not watch.histograms
        module(inputs, None)
        torch.testing.assert_close(module(inputs=inputs, mask=mask), plain)
    (histograms,) = watch.histograms.values()
    assert histograms["range"].as_dict()["count"] == 10 + 7
    # Gates that are not numbers
    module, message = CellAwareStackedLSTM(3, 4), "layer 2, forward: the gate is not finite"
    inputs = torch.full((1, 2, 3), float("nan"))
    for first in (float("nan"), 0.0):  # both words, and the second alone
        inputs[0, 0] = first
        with GateHistograms(module), pytest.raises(ValueError, match=message):
            module(inputs, None)


def test_nothing_to_watch():
    for module in (CellAwareStackedLSTM(3, 4, num_layers=1), CoupledLSTM(3, 4), torch.nn.Linear(3, 4)):
        with pytest.raises(ValueError, match="has no CAS-LSTM of two layers or more, expected one"):
            GateHistograms(module)


@pytest.fixture(scope="module")
def text_classifier(trained):
    sizes = dict.fromkeys(("model.feedforward.input_dim", "model.feedforward.hidden_dims"), 10)
    overrides = {**SMALL_TEXTS, **sizes, "dataset_reader.max_instances": 40}
    return trained("sst2_cas_lstm", "sst2_cas_lstm", overrides)


@pytest.fixture
def gates(allennlp, tmp_path):
    """Run the command in this process, and return its report."""

    def run(archive, *arguments):
        folder = tmp_path / "gates"
        allennlp("cas-lstm-gates", archive / "model.tar.gz", *arguments, "--output-dir", folder)
        picture = (folder / "gates.png").read_bytes()
        assert picture.startswith(b"\x89PNG") and len(picture) > 10_000
        return json.loads((folder / "gates.json").read_text())

    return run


def test_pairs_of_a_three_layer_model(gates, trained, capsys):
    sizes = {"input_size": 6, "hidden_size": 5, "num_layers": 3, "bidirectional": True}
    encoder = {f"model.seq2vec_encoder.{key}": value for key, value in sizes.items()}
    overrides = {EMBEDDING: 6, "model.feedforward.hidden_dims": 6, "trainer.num_epochs": 1, **encoder}
    path = ROOT / "fixtures" / "snli" / "raw.jsonl"
    report = gates(trained("three_layers", "snli_cas_lstm", overrides), path)
    assert report["lines"] == 3
    places = [(place["layer"], place["direction"]) for place in report["places"]]
    assert places == [(2, "forward"), (2, "backward"), (3, "forward"), (3, "backward")]
    words = sum(
        len(sentence.rstrip(".").split()) + 1
        for line in path.read_text().splitlines()
        for sentence in json.loads(line).values()
    )
    for place in report["places"]:
        assert place["range"]["count"] == words
        assert place["gate"]["count"] == place["difference"]["count"] == 5 * words
        assert 0 < place["gate"]["mean"] < 1
    assert "layer 3, backward: gate 0." in capsys.readouterr().out


def test_a_sample_of_plain_text(gates, text_classifier, tmp_path):
    (tmp_path / "sentences.txt").write_text("A good film .\n\nBad\nSo slow\n")
    report = gates(text_classifier, tmp_path / "sentences.txt")
    assert report["lines"] == 4 and report["places"][0]["range"]["count"] == 7
    sample = [text_classifier, tmp_path / "sentences.txt", "--sample", 2, "--seed", 1]
    assert gates(*sample)["lines"] == 2
    assert gates(*sample) == gates(*sample)


def test_what_cannot_be_done(gates, text_classifier, classifier, tmp_path, capsys):
    (tmp_path / "blank.txt").write_text("\n \n")
    with pytest.raises(ConfigurationError, match=r"blank\.txt: no words in the file"):
        gates(text_classifier, tmp_path / "blank.txt")
    message = rf"{classifier / 'model.tar.gz'}: BasicClassifier has no CAS-LSTM"
    with pytest.raises(ConfigurationError, match=message):
        gates(classifier, ROOT / "fixtures" / "mr" / "raw.jsonl")
    for option in ("--sample", "--batch-size"):
        with pytest.raises(SystemExit):
            gates(text_classifier, "sentences.txt", option, "0")
        assert f"{option}: it is '0', expected a number of at least 1" in capsys.readouterr().err
