from collections import defaultdict
from typing import Dict, Iterable

from allennlp.data import Instance
from allennlp.models import Model

from slstm_allennlp.vectors.vector_embedding import VectorEmbedding


def learn_new_words(model: Model, instances: Iterable[Instance]) -> None:
    """
    Add out-of-vocabulary words to a trained model, if they have a fixed pretrained vector and its source
    is available (`VectorEmbedding.knows`). Words that a trainable embedder also reads stay unknown: it
    has no vector for them.
    """
    embedders = [module for module in model.modules() if isinstance(module, VectorEmbedding)]
    fixed = [embedder for embedder in embedders if embedder.has_fixed_vectors]
    trainable = {
        getattr(module, "_vocab_namespace", None) for module in model.modules() if module not in fixed
    }
    fixed = [embedder for embedder in fixed if embedder.namespace not in trainable]
    if not fixed:
        return
    counts: Dict[str, Dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for instance in instances:
        instance.count_vocab_items(counts)
    for embedder in fixed:
        namespace = embedder.namespace
        known = model.vocab.get_token_to_index_vocabulary(namespace)
        for word in embedder.knows([word for word in counts[namespace] if word not in known]):
            model.vocab.add_token_to_namespace(word, namespace)
    model.extend_embedder_vocab()
