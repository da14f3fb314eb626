"""Embedders for AllenNLP's configs."""

from slstm_allennlp.modules.token_embedders.scaled_embedding import ScaledEmbedding

__all__ = ["ScaledEmbedding"]
