from typing import Any, Optional, TypeVar

from allennlp.common import Lazy
from allennlp.common.checks import ConfigurationError
from allennlp.modules import Seq2VecEncoder

T = TypeVar("T")
# The names of the input size in AllenNLP's and our encoders.
INPUT_SIZES = ("input_dim", "input_size", "embedding_dim")


def sized(part: Lazy[T], size: Optional[int]) -> T:
    """
    Build an encoder or a feed-forward layer with the input size `size`. A size in its config has
    priority. A part that is already built is returned unchanged.
    """
    if not isinstance(part, Lazy):
        return part
    for key in INPUT_SIZES:  # AllenNLP passes on the sizes that were meant for an enclosing part
        part._constructor_extras.pop(key, None)
    params: Any = {} if isinstance(part._params, str) else part._params  # or a name alone
    # AllenNLP's `compose` and its sequence encoder `feedforward` have the sizes inside.
    inside = {"compose": params.get("encoders"), "feedforward": [params.get("feedforward")]}
    places = inside.get(str(params.get("type"))) or [params]
    is_given = size is None or all(map(_has_size, places))
    return part.construct(**({} if is_given else dict.fromkeys(INPUT_SIZES, size)))


def _has_size(part: Any) -> bool:
    return part is not None and any(key in part for key in INPUT_SIZES)


def sized_seq2vec(where: str, encoder: Lazy[Seq2VecEncoder], given: int) -> Seq2VecEncoder:
    """
    Build a model's `seq2vec_encoder`, as in `sized`, after a part of output size `given`.
    `ConfigurationError` with this part, `where`, if the encoder has another input size.
    """
    built = sized(encoder, given)
    taken = built.get_input_dim()
    if given != taken:
        raise ConfigurationError(
            f"{where} gives {given} numbers a word and seq2vec_encoder takes {taken}, expected the same"
        )
    return built
