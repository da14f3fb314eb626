"""Refuse a test evaluation that AllenNLP cannot do, and write a model card after training."""

from pathlib import Path
from typing import Any, Dict

from allennlp.commands import train
from allennlp.commands.train import TrainModel
from allennlp.common.checks import ConfigurationError

from slstm_allennlp.common.changes import Original, replaces
from slstm_allennlp.training.model_card import write_model_card


@replaces(train, "train_model")
def _refuse_distributed_test(original: Original, params: Any, *args: Any, **kwargs: Any) -> Any:
    """
    Refuse `evaluate_on_test` with `distributed` before any process starts. AllenNLP evaluates only in
    its first process, which then waits for the others, which have ended, and writes no archive.
    """
    if all(params.get(key) for key in ("distributed", "evaluate_on_test", "test_data_path")):
        raise ConfigurationError(
            "evaluate_on_test is true, expected false with distributed training, where AllenNLP "
            "cannot do it; run `allennlp evaluate` on the archive afterwards"
        )
    return original(params, *args, **kwargs)


@TrainModel.register("default", constructor="from_partial_objects", exist_ok=True)
class TrainModelWithCard(TrainModel):
    """
    AllenNLP's training loop. It also writes `model_card.md` beside the archive: the encoder, the data,
    the metrics, the versions and the command.

    Registered as a `TrainModel` with name "default", in AllenNLP's place and with its parameters.
    """

    def finish(self, metrics: Dict[str, Any]) -> None:
        """Write the metrics, as AllenNLP does, and the model card."""
        super().finish(metrics)
        write_model_card(Path(self.serialization_dir), self.model, metrics)
