"""Errors that a user causes and can mend."""

from allennlp.common.checks import ConfigurationError


class CorpusError(ConfigurationError, ValueError):
    """
    An error for data that cannot be read as what it should be: a corpus, the input of a prediction,
    vectors. The message names the file, the line if there is one, what was found and what is expected.
    """


class NotFinite(ConfigurationError, ValueError):
    """An error for a loss or weights that are NaN or infinite during training."""


class MissingExtra(ConfigurationError, ImportError):
    """An error for an optional package that is not installed."""
