from slstm_allennlp.modules.module_encoder import ModuleEncoder, errors_of
from slstm_allennlp.modules.stacked_cnn import StackedCNN


class StackedCnnEncoder(ModuleEncoder):
    """
    What the two encoders registered as `stacked_cnn` share: a `StackedCNN`.

    # Parameters

    input_size : `int`
    hidden_size : `int`
    num_layers : `int`, optional (default = `1`)
    window : `int`, optional (default = `3`)
    dropout : `float`, optional (default = `0.0`)
        All as in `slstm_allennlp.modules.StackedCNN`; the dropout is between layers.

    # Errors

    `ConfigurationError` for a value that is out of range.
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        window: int = 3,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        with errors_of("stacked_cnn"):
            self._module = StackedCNN(
                input_size=input_size,
                hidden_size=hidden_size,
                num_layers=num_layers,
                window=window,
                dropout=dropout,
            )
