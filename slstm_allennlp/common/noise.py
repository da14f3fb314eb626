"""Suppress messages of AllenNLP and its dependencies that a user cannot act on."""

import logging
import warnings
from contextlib import contextmanager
from typing import Iterator


def silence_known_warnings() -> None:
    """
    Ignore five warnings of AllenNLP's dependencies, in this order: torchvision has no image extension if
    its release does not match PyTorch's (no text model needs it); allennlp-models imports the deprecated
    `pkg_resources`; Google's storage client does not support Python 3.10; autocast finds no GPU;
    AllenNLP enters autocast by a deprecated name.
    """
    warnings.filterwarnings("ignore", message="Failed to load image Python extension")
    warnings.filterwarnings("ignore", message="pkg_resources is deprecated as an API")
    warnings.filterwarnings("ignore", message=r"You are using a .*Python version .*google\.")
    warnings.filterwarnings("ignore", message="User provided device_type of 'cuda'")
    warnings.filterwarnings(
        "ignore",
        message=r"`torch\.cuda\.amp\..*` is deprecated",
        category=FutureWarning,
        module=r"allennlp\.",
    )


@contextmanager
def quiet_registration() -> Iterator[None]:
    """Suppress the line that AllenNLP logs for each registered name that this package overrides."""
    import allennlp.common.logging  # noqa: F401  (sets the logger class: must be first)

    logger = logging.getLogger("allennlp.common.registrable")
    level = logger.level
    logger.setLevel(logging.WARNING)
    try:
        yield
    finally:
        logger.setLevel(level)
