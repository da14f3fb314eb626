"""
Sentence-state LSTM encoders for AllenNLP and PyTorch. Importing this package registers all its names
with AllenNLP. Without AllenNLP, the PyTorch modules in `slstm_allennlp.modules` still work.
"""

import importlib.util
import os
import sys

from slstm_allennlp.common.noise import quiet_registration, silence_known_warnings
from slstm_allennlp.version import __version__

__all__ = ["__version__"]

if "torch" not in sys.modules and "OMP_WAIT_POLICY" not in os.environ:
    # PyTorch's threads spin for milliseconds while they wait for each other. If another process uses
    # one of the cores, everything takes several times as long (benchmarks/README.md).
    os.environ.setdefault("GOMP_SPINCOUNT", "3000")

if importlib.util.find_spec("allennlp") is not None:
    silence_known_warnings()
    with quiet_registration():
        import slstm_allennlp.comparison.command
        import slstm_allennlp.compatibility
        import slstm_allennlp.console.config_keys
        import slstm_allennlp.console.folder_lock
        import slstm_allennlp.console.label_check
        import slstm_allennlp.console.lost_process
        import slstm_allennlp.console.missing_transformer
        import slstm_allennlp.console.predict
        import slstm_allennlp.console.user_errors
        import slstm_allennlp.console.whole_files
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
        import slstm_allennlp.vectors  # noqa: F401
