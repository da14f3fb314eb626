"""Recovery of a run that was killed while it wrote a file."""

import pytest
import torch
from allennlp.commands.train import train_model
from allennlp.common import Params

FILES = ("model", "training")


class Killed(BaseException):
    pass


@pytest.fixture
def train(tmp_path):
    """Train a tagger with few weights for three epochs. `recover` resumes an earlier run."""
    data = tmp_path / "sentences.txt"
    data.write_text("the###D dog###N barks###V\na###D cat###N sleeps###V\n")
    embedder = {"token_embedders": {"tokens": {"type": "embedding", "embedding_dim": 4}}}

    def run(recover=False, **trainer):
        config = {
            "dataset_reader": {"type": "sequence_tagging"},
            "train_data_path": str(data),
            "validation_data_path": str(data),
            "model": {
                "type": "simple_tagger",
                "text_field_embedder": embedder,
                "encoder": {"type": "slstm", "input_size": 4, "hidden_size": 4},
            },
            "data_loader": {"batch_size": 2},
            "trainer": {"num_epochs": 3, "cuda_device": -1, "optimizer": "adam", **trainer},
        }
        return train_model(Params(config), str(tmp_path / "run"), recover=recover)

    return run


def killed_while_writing(monkeypatch, name):
    """Kill the run when it has written only the first 100 bytes of the file."""
    save = torch.save

    def cut_off(state, path):
        save(state, path)
        if name in str(path):
            with open(path, "r+b") as file:
                file.truncate(100)
            raise Killed

    monkeypatch.setattr(torch, "save", cut_off)


@pytest.mark.parametrize("part", FILES)
def test_a_checkpoint_is_whole_or_not_there(train, tmp_path, monkeypatch, part):
    with monkeypatch.context() as patch, pytest.raises(Killed):
        killed_while_writing(patch, f"{part}_state_e2_b0")
        train()
    whole = {f"{name}_state_e1_b0.th" for name in FILES}
    assert whole < {path.name for path in (tmp_path / "run").iterdir()}
    first_epoch = (tmp_path / "run" / "metrics_epoch_0.json").stat().st_mtime_ns
    train(recover=True)
    assert (tmp_path / "run" / "metrics_epoch_0.json").stat().st_mtime_ns == first_epoch
    assert (tmp_path / "run" / "metrics_epoch_2.json").exists()
    # The truncated file was written again, and no unfinished file is left.
    assert not list((tmp_path / "run").glob("*.unfinished"))
    for path in (tmp_path / "run").glob("*.th"):
        torch.load(path)


@pytest.mark.parametrize(
    "average", ({}, {"moving_average": {"type": "exponential", "decay": 0.9}}), ids=str
)
@pytest.mark.parametrize("best_is_there", (False, True))
def test_the_best_model_is_that_of_the_best_epoch(train, tmp_path, monkeypatch, average, best_is_there):
    best = tmp_path / "run" / "best.th"
    options = {**average, "validation_metric": "+loss"}  # so the first epoch counts as the best
    with monkeypatch.context() as patch, pytest.raises(Killed):
        killed_while_writing(patch, "state_e2_b0")
        train(**options)
    expected = torch.load(best)
    if not best_is_there:
        best.unlink()
    model = train(recover=True, **options)
    for weights in (torch.load(best), model.state_dict()):
        assert weights.keys() == expected.keys()
        for name, weight in weights.items():
            torch.testing.assert_close(weight, expected[name], rtol=0, atol=0)
