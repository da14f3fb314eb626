from slstm_allennlp.commands.cas_lstm_gates import CasLstmGates
from slstm_allennlp.commands.slstm_inside import SlstmInside

__all__ = ["CasLstmGates", "SlstmInside"]
