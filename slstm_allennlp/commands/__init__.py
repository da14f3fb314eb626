from slstm_allennlp.commands.cas_lstm_gates import CasLstmGates

__all__ = ["CasLstmGates"]
