"""A look inside trained S-LSTMs: what they read, what their gates did, and a page that shows it."""

from slstm_allennlp.inside.page import page
from slstm_allennlp.inside.recorder import Reading, TraceRecorder
from slstm_allennlp.inside.report import report_of

__all__ = ["Reading", "TraceRecorder", "page", "report_of"]
