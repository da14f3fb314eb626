"""`TensorCache`, whose files PyTorch does not load by its allow-list, since they hold a newer pickle."""

import io
import pickle

from allennlp.common.checks import ConfigurationError
from allennlp.common.file_utils import TensorCache
from torch import Tensor

from slstm_allennlp.security.weights import load_by_our_list


def get_tensor(self: TensorCache, key: str) -> Tensor:
    """
    `TensorCache.__getitem__`, by this package's allow-list, which knows every protocol of pickle.

    # Errors

    `KeyError` for a key that is not there; `ConfigurationError` for one with anything but a tensor.
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
            f"{self.lmdb_env.path()}: what is kept for {key!r} is no tensor ({error})"
        ) from error
    self.cache_cache[key] = tensor
    return tensor
