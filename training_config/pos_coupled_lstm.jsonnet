// To see this config whole: slstm config pos_coupled_lstm
// Tag parts of speech (CoNLL-U files) with the S-LSTM paper's BiLSTM (Eq. 1, 300 units per direction)
// and a CRF.
local pos = import 'pos.libsonnet';

pos({
  type: 'coupled_lstm',
  hidden_size: 300,
  num_layers: 1,
  bidirectional: true,
})
