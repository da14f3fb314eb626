from pathlib import Path
from typing import Any, Dict

from allennlp.commands.train import TrainModel
from allennlp.common.checks import ConfigurationError
from allennlp.common.util import is_distributed

from slstm_allennlp.model_card import write_model_card


@TrainModel.register("default", constructor="from_partial_objects", exist_ok=True)
class EarlyCheckedTrainModel(TrainModel):
    """
    AllenNLP's training loop, which says at the start what would otherwise fail at the end: after
    distributed training AllenNLP evaluates in its first process alone, on that process's share of the
    test set, and waits there for the others, which have gone. The run ends without an archive. And one
    that writes `model_card.md` beside the archive: the encoder, the data, the metrics, the versions and
    the command.

    Registered as a `TrainModel` with name "default", in AllenNLP's place and with its parameters.
    """

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        if self.evaluate_on_test and self.evaluation_data_loader is not None and is_distributed():
            raise ConfigurationError(
                "evaluate_on_test is true, expected false with distributed training, where AllenNLP "
                "cannot do it; run `allennlp evaluate` on the archive afterwards"
            )

    def finish(self, metrics: Dict[str, Any]) -> None:
        """As AllenNLP's, with the model's card beside its metrics."""
        super().finish(metrics)
        write_model_card(Path(self.serialization_dir), self.model, metrics)
