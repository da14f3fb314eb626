from slstm_allennlp.modules.decoder_nets.cas_lstm_cell_decoder_net import CasLstmCellDecoderNet

__all__ = ["CasLstmCellDecoderNet"]
