"""Look inside trained S-LSTMs: record their input words and gates, and show them on a page."""

from slstm_allennlp.inside.recorder import Reading, TraceRecorder
from slstm_allennlp.inside.report import page, report_of

__all__ = ["Reading", "TraceRecorder", "page", "report_of"]
