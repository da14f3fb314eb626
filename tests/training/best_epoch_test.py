"""Of epochs with the same metric, the one with the lowest loss is the best."""

import pytest

from slstm_allennlp.training.trainer import LowerLossFirst


@pytest.mark.parametrize(
    "epochs, best",
    [
        ([(0.8, 0.9), (0.9, 0.92), (0.9, 0.5), (0.9, 0.01), (0.9, 0.3), (0.8, 0.001)], 3),
        ([(0.9, 0.5), (0.9, 0.5)], 0),
        ([(0.9, None), (0.9, None)], 0),  # a model that gives no loss in validation
    ],
)
@pytest.mark.parametrize("recovered_after", (None, 1, 2))
def test_the_lowest_loss_among_the_best(epochs, best, recovered_after):
    tracker = LowerLossFirst("+accuracy", patience=9)
    for number, (accuracy, loss) in enumerate(epochs):
        if number == recovered_after:
            state = tracker.state_dict()
            tracker = LowerLossFirst("+accuracy", patience=9)
            tracker.load_state_dict(state)
        metrics = {"accuracy": accuracy, **({} if loss is None else {"loss": loss})}
        tracker.add_metrics(metrics)
        if tracker.is_best_so_far():  # as the trainer does
            tracker.best_epoch_metrics = metrics
    assert tracker.best_epoch == best
    assert tracker._epochs_with_no_improvement == len(epochs) - best - 1
