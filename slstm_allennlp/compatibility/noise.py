"""Warnings that AllenNLP's use of a current PyTorch prints, and about which its user can do nothing."""

import warnings


def silence_known_warnings() -> None:
    """AllenNLP enters CUDA autocast in every batch under its former name, also where it is off."""
    warnings.filterwarnings(
        "ignore",
        message=r"`torch\.cuda\.amp\..*` is deprecated",
        category=FutureWarning,
        module=r"allennlp\.",
    )
