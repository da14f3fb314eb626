"""
Sentence-state LSTM encoders for AllenNLP and PyTorch. Importing this package registers all its names
with AllenNLP. Without AllenNLP, the PyTorch modules in `slstm_allennlp.modules` still work.
"""

import importlib.util

from slstm_allennlp.common.noise import quiet_registration
from slstm_allennlp.version import __version__

__all__ = ["__version__"]

if importlib.util.find_spec("allennlp") is not None:
    with quiet_registration():
        import slstm_allennlp.comparison.command
        import slstm_allennlp.compatibility
        import slstm_allennlp.dataset_readers
        import slstm_allennlp.encoders
        import slstm_allennlp.inside.command
        import slstm_allennlp.inside.gates_command
        import slstm_allennlp.linear
        import slstm_allennlp.metrics
        import slstm_allennlp.models
        import slstm_allennlp.predictors
        import slstm_allennlp.token_indexers
        import slstm_allennlp.tokenizers
        import slstm_allennlp.training
        import slstm_allennlp.vectors
