"""Pretrained word vectors: spaCy's, GloVe's, word2vec's and fastText's files, memory-mapped."""

from slstm_allennlp.vectors.sources import open_vectors
from slstm_allennlp.vectors.table import FloretVectors, VectorTable, WordVectors

__all__ = ["FloretVectors", "VectorTable", "WordVectors", "open_vectors"]
