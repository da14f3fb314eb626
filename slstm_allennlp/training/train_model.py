"""Refuse a test evaluation that AllenNLP cannot do, and write a model card after training."""

from pathlib import Path
from typing import Any, Dict

from allennlp.commands import train
from allennlp.commands.train import TrainModel
from allennlp.common.checks import ConfigurationError
from allennlp.common.util import is_distributed

from slstm_allennlp.common.changes import Original, replaces
from slstm_allennlp.training.model_card import write_model_card

_REFUSED = (
    "evaluate_on_test is true, expected false with distributed training, where AllenNLP cannot do it; "
    "run `allennlp evaluate` on the archive afterwards"
)


@replaces(train, "train_model")
def _refuse_distributed_test(original: Original, params: Any, *args: Any, **kwargs: Any) -> Any:
    """Refuse it before any process starts. If the plugin is loaded later, `TrainModelWithCard` does."""
    if all(params.get(key) for key in ("distributed", "evaluate_on_test", "test_data_path")):
        raise ConfigurationError(_REFUSED)
    return original(params, *args, **kwargs)


@TrainModel.register("default", constructor="from_partial_objects", exist_ok=True)
class TrainModelWithCard(TrainModel):
    """
    AllenNLP's training loop, with two additions.
    It refuses `evaluate_on_test` with `distributed` at the start. AllenNLP evaluates only in its first
    process, which then waits for the other processes, which have ended, and writes no archive.
    It also writes `model_card.md` beside the archive: the encoder, the data, the metrics, the versions
    and the command.

    Registered as a `TrainModel` with name "default", in AllenNLP's place and with its parameters.
    """

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        if self.evaluate_on_test and self.evaluation_data_loader is not None and is_distributed():
            raise ConfigurationError(_REFUSED)

    def finish(self, metrics: Dict[str, Any]) -> None:
        """Write the metrics, as AllenNLP does, and the model card."""
        super().finish(metrics)
        write_model_card(Path(self.serialization_dir), self.model, metrics)
