from slstm_allennlp.modules.coupled_lstm import CoupledLSTM
from slstm_allennlp.modules.module_encoder import ModuleEncoder, errors_of


class CoupledLstmEncoder(ModuleEncoder):
    """
    What the two encoders registered as `coupled_lstm` share: a `CoupledLSTM`.

    # Parameters

    input_size : `int`
    hidden_size : `int`
    num_layers : `int`, optional (default = `1`)
    bidirectional : `bool`, optional (default = `False`)
    boundary : `bool`, optional (default = `True`)
    dropout : `float`, optional (default = `0.0`)
        All as in `slstm_allennlp.modules.CoupledLSTM`; the dropout is between layers, as in `lstm`.

    # Errors

    `ConfigurationError` for a value that is out of range.
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bidirectional: bool = False,
        boundary: bool = True,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        with errors_of("coupled_lstm"):
            self._module = CoupledLSTM(
                input_size=input_size,
                hidden_size=hidden_size,
                num_layers=num_layers,
                bidirectional=bidirectional,
                boundary=boundary,
                dropout=dropout,
            )
