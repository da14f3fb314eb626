import torch
from allennlp.common import Params
from allennlp.training.learning_rate_schedulers import LearningRateScheduler


def test_reduces_when_the_metric_stands_still(caplog):
    caplog.set_level("INFO")
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=1.0)
    options = {"patience": 0, "factor": 0.5, "mode": "max", "min_lr": 0.2, "verbose": True}
    params = Params({"type": "reduce_on_plateau", **options})
    plateau = LearningRateScheduler.from_params(params, optimizer=optimizer)
    rates = []
    for metric in (0.5, 0.6, 0.6, 0.6, 0.6, 0.6):
        plateau.step(metric)
        rates.append(optimizer.param_groups[0]["lr"])
    assert rates == [1.0, 1.0, 0.5, 0.25, 0.2, 0.2]
    assert "reduced from [1.0] to [0.5]" in caplog.text
