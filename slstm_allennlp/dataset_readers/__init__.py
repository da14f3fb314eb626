import importlib.util

from slstm_allennlp.dataset_readers.conll_ner_reader import ConllNerReader
from slstm_allennlp.dataset_readers.movie_review_reader import MovieReviewReader
from slstm_allennlp.dataset_readers.penn_treebank_pos_reader import PennTreebankPosReader
from slstm_allennlp.dataset_readers.review_reader import ReviewReader
from slstm_allennlp.dataset_readers.table_reader import TableReader
from slstm_allennlp.dataset_readers.tagged_text_reader import TaggedTextReader
from slstm_allennlp.dataset_readers.text_classification_json_reader import TextClassificationJsonReader

# These readers replace readers of allennlp_models, which is an optional package.
if importlib.util.find_spec("allennlp_models") is not None:
    from slstm_allennlp.dataset_readers.parallel_text_reader import ParallelTextReader
    from slstm_allennlp.dataset_readers.quora_paraphrase_reader import QuoraParaphraseReader
    from slstm_allennlp.dataset_readers.seq2seq_reader import Seq2SeqReader
    from slstm_allennlp.dataset_readers.snli_reader import SnliReader
    from slstm_allennlp.dataset_readers.sst_reader import StanfordSentimentTreebankReader
