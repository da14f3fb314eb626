import json
import logging
import math
from collections import defaultdict
from pathlib import Path
from typing import Any, ClassVar, Dict, Iterable, List, Optional

import numpy
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import Instance, Vocabulary
from allennlp.models import Model
from allennlp.modules.token_embedders import Embedding, TokenEmbedder

from slstm_allennlp.vectors.kept_files import (
    keep,
    kept_folder,
    round_to_half,
    save_in_half_precision,
)
from slstm_allennlp.vectors.sources import open_vectors
from slstm_allennlp.vectors.table import WordVectors

logger = logging.getLogger(__name__)

_SOURCE = "source.json"
VECTOR_STD = 0.3  # of pretrained vectors: see docs/vectors.md
# Of running words with a vector of md or GloVe: measured 0.89 (tweets) to 1 in English, 0.8 in German.
_SHARE = 0.85
_MAX_NEW_WORDS = 200_000  # of each source in prediction: limits the memory of a service


@TokenEmbedder.register("embedding", exist_ok=True)
class VectorEmbedding(Embedding):
    """
    AllenNLP's `embedding`, plus pretrained vectors by one key, such as `"vectors": "en_core_web_md"`,
    scaled so that an encoder can learn with them.

    Each word is looked up as in the vocabulary, then in lower case, then capitalised. Words without a
    vector are initialised from N(0, std²), the scale of the others. An archive holds the vectors of its
    vocabulary and loads without their source. If the source is available, prediction also uses its
    vectors for words outside the vocabulary. `ConfigurationError` for an `std` that is not above zero;
    for `vectors` that are not found, are unreadable, are not finite or differ in size from
    `embedding_dim`; for `vectors` with `pretrained_file` or `num_embeddings`; and for `half_precision`
    with `trainable`.

    # Parameters

    embedding_dim : `int`
    vectors : `str`, optional (default = `None`)
        An installed package (`"en_core_web_md"`, any spaCy pipeline with vectors, or `"glove-6b-50d"`),
        a folder with one of these, or a GloVe, word2vec or fastText file, compressed or not.
    std : `float`, optional (default = `None`)
        The standard deviation of the vectors' components: `vectors` are scaled to it, other words are
        initialised with it. Default: 0.3 with `vectors`, otherwise AllenNLP's own initialisation. A
        `pretrained_file` is not scaled.
    half_precision : `bool`, optional (default = `False`)
        Whether to save the vectors in half precision, in checkpoints and the archive. It requires
        `trainable` false.
    num_embeddings, projection_dim, weight, padding_index, trainable, max_norm, norm_type
    scale_grad_by_freq, sparse, vocab_namespace, pretrained_file, vocab
        As in AllenNLP's `embedding`.
    serialization_dir : `str`, optional (default = `None`)
        The folder of the model; AllenNLP sets it.
    """

    default_std: ClassVar[Optional[float]] = None

    def __init__(
        self,
        embedding_dim: int,
        vectors: Optional[str] = None,
        std: Optional[float] = None,
        half_precision: bool = False,
        num_embeddings: Optional[int] = None,
        weight: Optional[torch.FloatTensor] = None,
        trainable: bool = True,
        pretrained_file: Optional[str] = None,
        vocab: Optional[Vocabulary] = None,
        serialization_dir: Optional[str] = None,
        **kwargs: Any,
    ) -> None:
        if std is not None and pretrained_file is not None:
            logger.warning(
                "embedding: std is %s, which does not change the vectors of pretrained_file, expected "
                "them as vectors, which are scaled",
                std,
            )
        std = self.default_std if std is None else std
        if std is not None and not std > 0:
            raise ConfigurationError(f"embedding: std is {std}, expected a number above 0")
        is_incompatible = pretrained_file is not None or num_embeddings is not None or vocab is None
        if vectors is not None and is_incompatible:
            raise ConfigurationError(
                f"embedding: vectors is {vectors!r}, expected a vocabulary with it, no pretrained_file "
                "and no num_embeddings"
            )
        if half_precision and trainable:
            raise ConfigurationError(
                "embedding: half_precision is true, expected false where training changes the vectors "
                '("trainable": false fixes them)'
            )
        super().__init__(
            embedding_dim,
            num_embeddings=num_embeddings,  # type: ignore[arg-type]
            weight=weight,  # type: ignore[arg-type]
            trainable=trainable,
            pretrained_file=pretrained_file,  # type: ignore[arg-type]
            vocab=vocab,  # type: ignore[arg-type]
            **kwargs,
        )
        self._std = VECTOR_STD if std is None and vectors is not None else std
        self._source: Optional[WordVectors] = None
        self._archived: Optional[Path] = None
        self._num_new_words_left = _MAX_NEW_WORDS
        self._half_precision = half_precision
        if self._std is not None and weight is None and pretrained_file is None:
            self._initialise(from_row=0)
        if vectors is not None:
            assert vocab is not None
            self._load_vectors(vectors, vocab, serialization_dir)
        if half_precision:
            save_in_half_precision(self)

    @property
    def namespace(self) -> str:
        """The vocabulary namespace of the words."""
        return self._vocab_namespace or "tokens"

    def knows(self, words: List[str]) -> List[str]:
        """Return the words that have a vector in the source; none without a source."""
        if self._source is None or not words:
            return []
        found, _ = self._source.lookup(words)
        return [word for word, has_vector in zip(words, found) if has_vector]

    def learn_new_words(self, model: Model, instances: Iterable[Instance]) -> bool:
        """
        Add the words of the instances that this embedder of a trained model `knows` to the model's
        vocabulary, 200,000 at most. Words that an embedder without a source also reads stay unknown: it
        has no vector for them. Another source that lacks a word gives it the vector of unknown words.
        Return whether there are such words. The predictors and `slstm evaluate` call it.
        """
        readers = [m for m in model.modules() if getattr(m, "_vocab_namespace", None) == self.namespace]
        pretrained = [m for m in readers if isinstance(m, VectorEmbedding) and m._source]
        if len(pretrained) < len(readers):
            return False
        counts: Dict[str, Dict[str, int]] = defaultdict(lambda: defaultdict(int))
        for instance in instances:
            instance.count_vocab_items(counts)
        known = model.vocab.get_token_to_index_vocabulary(self.namespace)
        new = self.knows([word for word in counts[self.namespace] if word not in known])
        new = new[: self._num_new_words_left]
        if new:
            self._num_new_words_left -= len(new)
            if not self._num_new_words_left:
                logger.warning("Prediction has met %d new words: others are unknown.", _MAX_NEW_WORDS)
            model.vocab.add_tokens_to_namespace(new, self.namespace)
            model.extend_embedder_vocab()
            unknown = known.get(model.vocab._oov_token)
            for other in pretrained if unknown is not None else ():
                lacking = [known[word] for word in set(new).difference(other.knows(new))]
                other.weight.data[lacking] = other.weight.data[unknown].clone()  # not a random one
        return bool(new)

    def extend_vocab(
        self,
        extended_vocab: Vocabulary,
        vocab_namespace: Optional[str] = None,
        extension_pretrained_file: Optional[str] = None,
        model_path: Optional[str] = None,
    ) -> None:
        """Extend as AllenNLP does, but initialise new words like the others: vector or N(0, std²)."""
        known = self.num_embeddings
        super().extend_vocab(extended_vocab, vocab_namespace, extension_pretrained_file, model_path)  # type: ignore[arg-type]
        has_file = extension_pretrained_file is not None or self._pretrained_file is not None
        if self.num_embeddings > known and self._std is not None and not has_file:
            self._initialise(from_row=known)
            if self._source is not None:
                self._copy_vectors(extended_vocab, from_row=known)
            if self._half_precision:
                round_to_half(self)

    def _load_vectors(self, name: str, vocab: Vocabulary, serialization_dir: Optional[str]) -> None:
        archived = kept_folder(serialization_dir, f"vectors-{self._vocab_namespace}-{name}")
        is_archived = archived is not None and archived.exists()
        warning = 'The vectors "%s" are not %s: words that no file of the training has are unknown.'
        try:
            source = open_vectors(name)
        except ConfigurationError:
            if not is_archived:
                raise
            logger.warning(warning, name, "here")
            return
        if is_archived and not _is_same_source(archived, source):
            logger.warning(warning, name, "those of the training")
            return
        size = source.size
        if size != self.weight.shape[1]:
            raise ConfigurationError(
                f'embedding: the vectors of "{name}" have {size} numbers and embedding_dim is '
                f'{self.weight.shape[1]}, expected the same; with "embedding_dim": {size}, '
                f'"projection_dim": {self.weight.shape[1]} keeps the size of what follows'
            )
        self._source = source
        self._archived = archived
        self._register_state_dict_hook(_save_source)
        found = self._copy_vectors(vocab, from_row=0)
        if not is_archived:
            self._log_coverage(name, vocab, found)

    def _copy_vectors(self, vocab: Vocabulary, from_row: int) -> List[str]:
        """Copy the pretrained vectors of the words from this row on. Return the words that have one."""
        assert self._source is not None
        assert self._std is not None
        words = vocab.get_index_to_token_vocabulary(self.namespace)
        no_words = {vocab._padding_token, vocab._oov_token}
        rows = [row for row in range(from_row, len(words)) if words[row] not in no_words]
        found, vectors = self._source.lookup([words[row] for row in rows])
        chosen = [row for row, has_vector in zip(rows, found) if has_vector]
        is_finite = numpy.isfinite(vectors).all(axis=1)
        if not is_finite.all():
            word = words[chosen[int(is_finite.argmin())]]
            raise ConfigurationError(
                f'vectors: the vector of "{word}" in {self._source.name} has a number that is NaN or '
                "infinite, expected finite ones"
            )
        with torch.no_grad():
            scaled = torch.from_numpy(vectors) * (self._std / self._source.std)
            self.weight[chosen] = scaled.to(self.weight)
        return [words[row] for row in chosen]

    def _log_coverage(self, name: str, vocab: Vocabulary, found: List[str]) -> None:
        words = vocab.get_token_to_index_vocabulary(self.namespace)
        num_words = len(words.keys() - {vocab._padding_token, vocab._oov_token})
        counts: Dict[str, int] = (vocab._retained_counter or {}).get(self.namespace, {})
        share = sum(counts.get(word, 0) for word in found) / max(1, sum(counts.values()))
        running = f", {share:.1%} of the running words" if counts else ""
        few = share < _SHARE if counts else num_words and not found
        hint = ": is the text of their language, and divided into words?" if few else "."
        level = logging.WARNING if few else logging.INFO
        has = '"%s" has vectors of %d of %d words%s%s'
        logger.log(level, has, name, len(found), num_words, running, hint)

    def _initialise(self, from_row: int) -> None:
        assert self._std is not None
        with torch.no_grad():
            self.weight[from_row:].normal_(std=self._std)
            if self.padding_index is not None and self.padding_index >= from_row:
                self.weight[self.padding_index].zero_()


def _save_source(module: VectorEmbedding, *_: Any) -> None:
    """Save the size and scale of the source with the weights, to recognise it when loading."""
    source = module._source
    if source is not None:
        known = {"size": source.size, "std": source.std}
        keep(module._archived, lambda folder: (folder / _SOURCE).write_text(json.dumps(known)))


def _is_same_source(archived: Optional[Path], source: WordVectors) -> bool:
    """Whether the source is the one of the archived vectors."""
    assert archived is not None
    known = json.loads((archived / _SOURCE).read_text())
    return known["size"] == source.size and math.isclose(known["std"], source.std, rel_tol=1e-4)


@TokenEmbedder.register("scaled_embedding")
class ScaledEmbedding(VectorEmbedding):
    """
    `embedding` with a default `std`: vectors that are not pretrained are initialised from N(0, std²).
    AllenNLP uses Xavier initialisation, whose standard deviation decreases with the number of words:
    0.03 for 2,000 words of 64 dimensions. On some corpora an S-LSTM with the paper's transition does
    much better with larger values (RESULTS.md).

    # Parameters, as those of `embedding`

    std : `float`, optional (default = `0.1`)
    """

    default_std = 0.1
