"""Pretrained vectors and transformers: where they are, what they hold, and embedders over them."""

from slstm_allennlp.vectors.sources import open_vectors
from slstm_allennlp.vectors.table import FloretVectors, VectorTable, WordVectors
from slstm_allennlp.vectors.transformer_features import TransformerFeatures
from slstm_allennlp.vectors.transformer_mismatched import EvalModeMismatchedEmbedder
from slstm_allennlp.vectors.vector_embedding import ScaledEmbedding, VectorEmbedding
