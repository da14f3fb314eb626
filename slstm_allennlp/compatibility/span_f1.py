"""
Lets AllenNLP's span F1 count predictions that break the rules of BIOUL as the CoNLL script does. Its own
reading of most of them is an error, which ends the training of any tagger that does not constrain its
tags, such as `simple_tagger`, at the first such prediction; and where only the types within an entity
differ, it takes the last one for the whole. Legal tags count as ever.
"""

from allennlp.training.metrics import span_based_f1_measure

from slstm_allennlp.common.changes import replace
from slstm_allennlp.metrics.span_tags import bioul_spans

replace(span_based_f1_measure, "bioul_tags_to_spans", bioul_spans)
