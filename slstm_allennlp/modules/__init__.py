"""PyTorch modules. They need torch alone; `slstm_allennlp.encoders` are their AllenNLP encoders."""

from slstm_allennlp.modules.additive_attention import AdditiveAttention
from slstm_allennlp.modules.cell_aware_stacked_lstm import CellAwareStackedLSTM
from slstm_allennlp.modules.coupled_lstm import CoupledLSTM
from slstm_allennlp.modules.padded_lstm import PaddedLSTM
from slstm_allennlp.modules.sentence_state_lstm import SentenceStateLSTM
from slstm_allennlp.modules.stacked_cnn import StackedCNN

__all__ = [
    "AdditiveAttention",
    "CellAwareStackedLSTM",
    "CoupledLSTM",
    "PaddedLSTM",
    "SentenceStateLSTM",
    "StackedCNN",
]
