from typing import Optional, TypeVar

from allennlp.common import Lazy

T = TypeVar("T")
# What AllenNLP's and our encoders call the size of a word that they read.
_KEYS = ("input_size", "input_dim", "embedding_dim")


def sized(part: Lazy[T], size: Optional[int]) -> T:
    """
    Builds an encoder or a feed-forward layer that reads words of `size` numbers. A size that its config
    has stays as it is; so does a part that is built already.
    """
    if not isinstance(part, Lazy):
        return part
    for key in _KEYS:  # those meant for a part further out
        part._constructor_extras.pop(key, None)
    sizes = {} if size is None else {key: size for key in _KEYS if key not in part._params}
    return part.construct(**sizes)
