"""
Pretrained vectors and transformers: `sources` finds them, `files` and `table` read word vectors and look
them up, memory-mapped, and the embedders give them to a model.
"""

from slstm_allennlp.vectors.sources import open_vectors
from slstm_allennlp.vectors.table import FloretVectors, VectorTable, WordVectors
from slstm_allennlp.vectors.transformer_features import TransformerFeatures
from slstm_allennlp.vectors.transformer_mismatched import EvalModeMismatchedEmbedder
from slstm_allennlp.vectors.vector_embedding import ScaledEmbedding, VectorEmbedding
