"""Import this package without a message for each name that it registers in AllenNLP's place."""

import logging
from contextlib import contextmanager
from typing import Iterator


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
