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
        import slstm_allennlp.commands
        import slstm_allennlp.compatibility
        import slstm_allennlp.dataset_readers
        import slstm_allennlp.metrics
        import slstm_allennlp.models
        import slstm_allennlp.modules.decoder_nets
        import slstm_allennlp.modules.seq2seq_encoders
        import slstm_allennlp.modules.seq2vec_encoders
        import slstm_allennlp.modules.token_embedders
        import slstm_allennlp.predictors
        import slstm_allennlp.security
        import slstm_allennlp.token_indexers
        import slstm_allennlp.tokenizers
        import slstm_allennlp.training  # noqa: F401
