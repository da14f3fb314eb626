import inspect
from typing import Any, Dict, List, Optional, Sequence, Union

from allennlp.data import DatasetReader, Instance, Token, TokenIndexer
from allennlp.data.fields import Field, MetadataField, TextField
from allennlp.data.token_indexers import SingleIdTokenIndexer

from slstm_allennlp.common.registered_name import registered_name


class CorpusReader(DatasetReader):
    """
    Base class of the plugin's own readers. Each stores its constructor arguments `name` as `_name`.

    # Parameters

    token_indexers : `Dict[str, TokenIndexer]`, optional
        (default = `{"tokens": SingleIdTokenIndexer()}`)
    label_namespace : `str`, optional (default = `"labels"`)
        The vocabulary namespace of the labels or tags.
    max_instances : `int`, optional (default = `None`)
        The maximum number of instances to read.
    """

    def __init__(
        self,
        token_indexers: Optional[Dict[str, TokenIndexer]] = None,
        label_namespace: str = "labels",
        max_instances: Optional[int] = None,
    ) -> None:
        super().__init__(
            max_instances=max_instances,
            manual_distributed_sharding=True,
            manual_multiprocess_sharding=True,
        )
        self._token_indexers = token_indexers or {"tokens": SingleIdTokenIndexer()}
        self._label_namespace = label_namespace

    def apply_token_indexers(self, instance: Instance) -> None:
        set_indexers(instance, self._token_indexers)

    def _to_params(self) -> Dict[str, Any]:
        kept = {**vars(self), "_max_instances": self.max_instances}
        names = list(inspect.signature(type(self).__init__).parameters)[1:]
        return {
            "type": registered_name(DatasetReader, self),
            **{name: kept[f"_{name}"] for name in names},
        }


def set_indexers(instance: Instance, indexers: Optional[Dict[str, TokenIndexer]]) -> None:
    """Set the token indexers of all texts of an instance."""
    for field in instance.fields.values():
        if isinstance(field, TextField):
            field._token_indexers = indexers


def text_fields(tokens: Sequence[Union[str, Token]]) -> Dict[str, Field]:
    """Return the fields `tokens` and `metadata` for the words of a text."""
    words: List[Token] = [Token(token) if isinstance(token, str) else token for token in tokens]
    return {
        "tokens": TextField(words),
        "metadata": MetadataField({"words": [word.text for word in words]}),
    }
