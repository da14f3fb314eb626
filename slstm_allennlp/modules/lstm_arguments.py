"""What to say about arguments of LSTMs that an S-LSTM does not have."""

from typing import Iterable, Optional

# Arguments of `torch.nn.LSTM` and keys of AllenNLP's recurrent encoders.
LSTM_ARGUMENTS = (
    "bidirectional num_layers batch_first bias proj_size stateful recurrent_dropout_probability "
    "layer_dropout_probability use_highway use_input_projection_bias go_forward"
).split()


def advice_on(given: Iterable[str], of_module: bool = False) -> Optional[str]:
    """
    Explain the given arguments that only LSTMs have, or return None if there are none. A module, other
    than the encoders for AllenNLP, does not have `dropout` either.
    """
    known = [*LSTM_ARGUMENTS, "dropout"] if of_module else LSTM_ARGUMENTS
    found = [name for name in given if name in known]
    if not found:
        return None
    names = ", ".join(f'"{name}"' for name in found)
    kind = "argument" if of_module else "key"
    plural, these = ("", "it") if len(found) == 1 else ("s", "them")
    where = "and the batch comes first; apply torch.nn.Dropout to" if of_module else "with dropout on"
    return (
        f"slstm has no {kind}{plural} {names}: an S-LSTM reads both ways, and is one layer that is "
        f"applied num_steps times (default 9), {where} its inputs and outputs; remove {these} and keep "
        "hidden_size, for about as many weights; the output size is hidden_size, not twice that as of a "
        "bidirectional LSTM: set what follows, such as feedforward.input_dim, to it"
    )
