from torch.nn import Dropout, Module

from slstm_allennlp.common.arguments import check_flags, check_sizes
from slstm_allennlp.modules.checks import check_rate


class Recurrent(Module):
    """Base class of the modules with layers that read the words one by one: their checked sizes."""

    def __init__(
        self, input_size: int, hidden_size: int, num_layers: int, bidirectional: bool, dropout: float
    ) -> None:
        super().__init__()
        check_sizes(input_size=input_size, hidden_size=hidden_size, num_layers=num_layers)
        check_flags(bidirectional=bidirectional)
        check_rate(dropout)
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bidirectional = bidirectional
        self.dropout = Dropout(dropout)
        self.directions = 2 if bidirectional else 1
        self.output_size = self.directions * hidden_size

    def extra_repr(self) -> str:
        names = ("input_size", "hidden_size", "num_layers", "bidirectional")
        return ", ".join(f"{name}={getattr(self, name)}" for name in names)
