from typing import Any, Dict, Optional, Union

import torch
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError

from slstm_allennlp.modules.checks import check_rate
from slstm_allennlp.modules.module_encoder import ModuleEncoder, errors_of
from slstm_allennlp.modules.sentence_state_lstm import SentenceStateLSTM

# What AllenNLP's recurrent encoders take and an S-LSTM has no use for, and what to write instead.
_LSTM_KEYS = {
    "bidirectional": "an S-LSTM always reads both ways; remove it, and for the output size of a "
    "bidirectional LSTM set hidden_size to twice the old one",
    "num_layers": "an S-LSTM is one layer that is applied num_steps times; remove it, and set "
    "num_steps (default 9) for the depth",
    "bias": "every gate of an S-LSTM has a bias; remove it",
    "stateful": "an S-LSTM starts every sentence afresh; remove it",
    "recurrent_dropout_probability": "an S-LSTM has dropout on its inputs and outputs; remove it, "
    "and set dropout instead",
    "layer_dropout_probability": "an S-LSTM has dropout on its inputs and outputs; remove it, "
    "and set dropout instead",
    "use_highway": "an S-LSTM is a single layer without highway connections; remove it",
    "use_input_projection_bias": "every gate of an S-LSTM has a bias; remove it",
    "go_forward": "an S-LSTM always reads both ways; remove it",
}


class SlstmEncoder(ModuleEncoder):
    """
    What the two encoders registered as `slstm` share: a `SentenceStateLSTM` and dropout around it.

    # Parameters

    input_size : `int`
    hidden_size : `int`
    num_steps : `int`, optional (default = `9`)
    window_size : `int`, optional (default = `1`)
    num_sentence_nodes : `int`, optional (default = `1`)
    boundary : `bool`, optional (default = `None`)
    transition : `str` or `Dict[str, Any]`, optional (default = `"paper"`)
    layer_norm : `bool`, optional (default = `False`)
    recompute : `bool`, optional (default = `False`)
    bfloat16 : `bool`, optional (default = `False`)
        All as in `slstm_allennlp.modules.SentenceStateLSTM`.
    dropout : `float`, optional (default = `0.0`)
        The rate of the dropout on the inputs and on the outputs. Leave it at zero where the model
        around the encoder drops both already, as `crf_tagger` does.

    # Errors

    `ConfigurationError` for a value that is out of range, and for a key that only an LSTM has.
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_steps: int = 9,
        window_size: int = 1,
        num_sentence_nodes: int = 1,
        boundary: Optional[bool] = None,
        transition: Union[str, Dict[str, Any]] = "paper",
        layer_norm: bool = False,
        recompute: bool = False,
        bfloat16: bool = False,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        with errors_of("slstm"):
            check_rate(dropout)
            self._module = SentenceStateLSTM(
                input_size=input_size,
                hidden_size=hidden_size,
                num_steps=num_steps,
                window_size=window_size,
                num_sentence_nodes=num_sentence_nodes,
                boundary=boundary,
                transition=transition,
                layer_norm=layer_norm,
                recompute=recompute,
                bfloat16=bfloat16,
            )
        self._dropout = torch.nn.Dropout(dropout)

    @classmethod
    def from_params(cls, params: Params, **extras: Any) -> "SlstmEncoder":  # type: ignore[override]
        """As AllenNLP's own, with a word on the keys that an LSTM has and an S-LSTM does not."""
        for key, advice in _LSTM_KEYS.items():
            if key in params:
                raise ConfigurationError(f'slstm has no key "{key}": {advice}')
        return super().from_params(params, **extras)  # type: ignore[misc]

    def get_output_dim(self) -> int:
        return self._module.hidden_size
