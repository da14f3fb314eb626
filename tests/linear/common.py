"""Helpers for the tests of the linear models: read instances, and fit a model to them."""

import copy

from allennlp.common import Params
from allennlp.data import DatasetReader, Vocabulary
from allennlp.models import Model


def read(path, **reader):
    words = {"words": {"type": "utf8"}}
    params = Params(copy.deepcopy({"token_indexers": words, **reader}))
    return list(DatasetReader.from_params(params).read(path))


def fitted(train, validation=None, **model):
    """Build and fit a model. Return it, and the result of `fit`."""
    vocab = Vocabulary.from_instances([*train, *(validation or [])])
    for instance in [*train, *(validation or [])]:
        instance.index_fields(vocab)
    model = Model.from_params(Params(model), vocab=vocab).eval()
    return model, model.fit(train, validation)


def words_of(instances, name):
    return [[token.text for token in instance[name]] for instance in instances]


def labels_of(instances):
    return [instance["label"].label for instance in instances]
