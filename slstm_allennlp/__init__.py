"""
Sentence-state LSTM encoders for AllenNLP and PyTorch. Importing this package registers all its names
with AllenNLP. Without AllenNLP, the PyTorch modules in `slstm_allennlp.modules` still work.
"""

import importlib.util
import os
from typing import TYPE_CHECKING, Any

from slstm_allennlp.common.noise import quiet_registration
from slstm_allennlp.version import __version__

if TYPE_CHECKING:
    from slstm_allennlp._estimators import PairClassifier, Tagger, TextClassifier

__all__ = ["PairClassifier", "Tagger", "TextClassifier", "__version__"]

if importlib.util.find_spec("allennlp") is not None:
    if os.name == "nt":
        raise ImportError(
            "slstm_allennlp with AllenNLP does not run on Windows, expected Linux, such as WSL; without "
            "AllenNLP, the PyTorch modules do"
        )
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


def __getattr__(name: str) -> Any:
    """
    Import the estimators when they are used: they take a second. Their module begins with `_`, so
    that AllenNLP's import of all modules of a package leaves it out.
    """
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if importlib.util.find_spec("allennlp") is None:
        raise ImportError(f"{name} needs AllenNLP, which is not installed: docs/installing.md says how")
    from slstm_allennlp import _estimators

    return getattr(_estimators, name)
