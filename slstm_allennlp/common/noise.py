"""What AllenNLP and its dependencies print when they are loaded, and a user can do nothing about."""

import logging
import warnings
from contextlib import contextmanager
from typing import Iterator


def silence_known_warnings() -> None:
    """
    Five warnings of AllenNLP's dependencies: torchvision's, which lacks its image part beside a PyTorch
    of another release (no text model needs it); setuptools', of a `pkg_resources` that allennlp-models
    imports; that of the client of Google's storage, of Python 3.10; and PyTorch's two, of the former
    name under which AllenNLP enters autocast in every batch, and of a GPU that is not there for it.
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
    """
    The plugin registers some names anew, in AllenNLP's place. AllenNLP logs a line for each; within this
    context it does not.
    """
    import allennlp.common.logging  # noqa: F401  (before any logger of AllenNLP's: it sets their class)

    logger = logging.getLogger("allennlp.common.registrable")
    level = logger.level
    logger.setLevel(logging.WARNING)
    try:
        yield
    finally:
        logger.setLevel(level)
