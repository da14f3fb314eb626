"""Pretrained word vectors, memory-mapped from the files of spaCy, GloVe, word2vec and fastText."""

from slstm_allennlp.vectors.sources import open_vectors
from slstm_allennlp.vectors.table import FloretVectors, VectorTable, WordVectors

__all__ = ["FloretVectors", "VectorTable", "WordVectors", "open_vectors"]
