"""Embedders for AllenNLP's configs."""

from slstm_allennlp.modules.token_embedders.transformer_features import TransformerFeatures
from slstm_allennlp.modules.token_embedders.vector_embedding import ScaledEmbedding, VectorEmbedding

__all__ = ["ScaledEmbedding", "TransformerFeatures", "VectorEmbedding"]
