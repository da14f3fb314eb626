"""Torch modules. The AllenNLP adapters over them are in the subpackages named after their role."""

from slstm_allennlp.modules.sentence_state_lstm import SentenceStateLSTM

__all__ = ["SentenceStateLSTM"]
