import logging

import torch
from allennlp.common import Params
from allennlp.training.learning_rate_schedulers import LearningRateScheduler


def scheduler(**options):
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=1.0)
    params = Params({"type": "reduce_on_plateau", "patience": 0, "factor": 0.5, **options})
    return optimizer, LearningRateScheduler.from_params(params, optimizer=optimizer)


def test_reduces_when_the_metric_stands_still():
    optimizer, plateau = scheduler(mode="max", min_lr=0.2)
    rates = []
    for metric in (0.5, 0.6, 0.6, 0.6, 0.6, 0.6):
        plateau.step(metric)
        rates.append(optimizer.param_groups[0]["lr"])
    assert rates == [1.0, 1.0, 0.5, 0.25, 0.2, 0.2]


def test_verbose_logs_each_reduction(caplog):
    _, plateau = scheduler(verbose=True)
    with caplog.at_level(logging.INFO):
        for metric in (1.0, 1.0):
            plateau.step(metric)
    assert "reduced from [1.0] to [0.5]" in caplog.text
