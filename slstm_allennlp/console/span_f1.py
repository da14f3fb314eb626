"""
Make AllenNLP's span F1 count illegal BIOUL predictions as the CoNLL script does. AllenNLP raises an
error for most of them, which ends the training of any tagger without constrained decoding, such as
`simple_tagger`. If only the types within an entity differ, it uses the last type for the whole entity.
The results for legal tags do not change.
"""

from allennlp.training.metrics import span_based_f1_measure

from slstm_allennlp.common.changes import replace
from slstm_allennlp.metrics.span_tags import bioul_spans

replace(span_based_f1_measure, "bioul_tags_to_spans", bioul_spans)
