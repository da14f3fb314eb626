from typing import Optional

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary
from allennlp.modules.token_embedders import Embedding, TokenEmbedder


@TokenEmbedder.register("scaled_embedding")
class ScaledEmbedding(Embedding):
    """
    AllenNLP's `embedding`, whose vectors start at a scale of one's choice where they are not read from a
    file: each number from N(0, std²). AllenNLP draws them by Xavier's rule for matrices, so that they
    are the smaller the more words there are, such as 0.03 for two thousand words of 64 numbers. On some
    corpora an S-LSTM with the paper's transition does much better with larger ones (RESULTS.md).

    Registered as a `TokenEmbedder` with name "scaled_embedding".

    # Parameters

    embedding_dim : `int`
    std : `float`, optional (default = `0.1`)
        The standard deviation of vectors that are not read from `pretrained_file`. Words that the file
        lacks are drawn by AllenNLP, at the file's own scale.
    num_embeddings, projection_dim, padding_index, trainable, max_norm, norm_type, scale_grad_by_freq,
    sparse, vocab_namespace, pretrained_file, vocab
        As in AllenNLP's `embedding`.

    # Errors

    `ConfigurationError` for an `std` that is not above zero.
    """

    def __init__(
        self,
        embedding_dim: int,
        std: float = 0.1,
        num_embeddings: Optional[int] = None,
        projection_dim: Optional[int] = None,
        padding_index: Optional[int] = None,
        trainable: bool = True,
        max_norm: Optional[float] = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        vocab_namespace: str = "tokens",
        pretrained_file: Optional[str] = None,
        vocab: Optional[Vocabulary] = None,
    ) -> None:
        if not std > 0:
            raise ConfigurationError(f"scaled_embedding: std is {std}, expected a number above 0")
        super().__init__(
            embedding_dim,
            num_embeddings=num_embeddings,  # type: ignore[arg-type]
            projection_dim=projection_dim,  # type: ignore[arg-type]
            padding_index=padding_index,  # type: ignore[arg-type]
            trainable=trainable,
            max_norm=max_norm,  # type: ignore[arg-type]
            norm_type=norm_type,
            scale_grad_by_freq=scale_grad_by_freq,
            sparse=sparse,
            vocab_namespace=vocab_namespace,
            pretrained_file=pretrained_file,  # type: ignore[arg-type]
            vocab=vocab,  # type: ignore[arg-type]
        )
        self._std = std
        if pretrained_file is None:
            self._draw(from_row=0)

    def extend_vocab(
        self,
        extended_vocab: Vocabulary,
        vocab_namespace: Optional[str] = None,
        extension_pretrained_file: Optional[str] = None,
        model_path: Optional[str] = None,
    ) -> None:
        """As AllenNLP's; new words without a file start at the same scale as the others did."""
        known = self.num_embeddings
        super().extend_vocab(
            extended_vocab,
            vocab_namespace,  # type: ignore[arg-type]
            extension_pretrained_file,  # type: ignore[arg-type]
            model_path,  # type: ignore[arg-type]
        )
        if extension_pretrained_file is None and self._pretrained_file is None:
            self._draw(from_row=known)

    def _draw(self, from_row: int) -> None:
        with torch.no_grad():
            self.weight[from_row:].normal_(std=self._std)
            if self.padding_index is not None and self.padding_index >= from_row:
                self.weight[self.padding_index].zero_()
