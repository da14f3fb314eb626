from slstm_allennlp.training import (  # noqa: F401 (imported for its replacements)
    checkpointer,
    finite,
    reduce_on_plateau,
    run_state,
    signals,
    size_check,
    trainer,
)
from slstm_allennlp.training.train_model import TrainModelWithCard

__all__ = ["TrainModelWithCard"]
