from slstm_allennlp.commands.cas_lstm_gates import CasLstmGates
from slstm_allennlp.commands.compare import Compare
from slstm_allennlp.commands.slstm_inside import SlstmInside

__all__ = ["CasLstmGates", "Compare", "SlstmInside"]
