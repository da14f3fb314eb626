from slstm_allennlp.dataset_readers.conll_ner_reader import ConllNerReader
from slstm_allennlp.dataset_readers.movie_review_reader import MovieReviewReader
from slstm_allennlp.dataset_readers.penn_treebank_pos_reader import PennTreebankPosReader
from slstm_allennlp.dataset_readers.review_reader import ReviewReader
from slstm_allennlp.dataset_readers.tagged_text_reader import TaggedTextReader

__all__ = [
    "ConllNerReader",
    "MovieReviewReader",
    "PennTreebankPosReader",
    "ReviewReader",
    "TaggedTextReader",
]
