"""Read `TensorCache` by an allow-list. PyTorch's own does not support its pickle protocol."""

import io
import pickle

from allennlp.common.checks import ConfigurationError
from allennlp.common.file_utils import TensorCache
from torch import Tensor

from slstm_allennlp.security.weights import load_by_our_list


def get_tensor(self: TensorCache, key: str) -> Tensor:
    """
    Replace `TensorCache.__getitem__`: use this package's allow-list, which supports all protocols.

    # Errors

    `KeyError` for a missing key. `ConfigurationError` if the value is not a tensor.
    """
    if key in self.cache_cache:
        return self.cache_cache[key]
    with self.lmdb_env.begin(write=False) as transaction:
        buffer = transaction.get(key.encode())
    if buffer is None:
        raise KeyError(key)
    try:
        tensor = load_by_our_list(io.BytesIO(buffer), map_location="cpu")
    except (pickle.UnpicklingError, EOFError, RuntimeError) as error:
        raise ConfigurationError(
            f"{self.lmdb_env.path()}: the value of {key!r} is not a tensor ({error})"
        ) from error
    self.cache_cache[key] = tensor
    return tensor
