// To see this config whole: slstm config ptb_coupled_lstm
// Tag parts of speech (Penn Treebank) with the S-LSTM paper's BiLSTM (Eq. 1, 300 units per direction)
// and a CRF.
local ptb = import 'ptb.libsonnet';

ptb({
  type: 'coupled_lstm',
  hidden_size: 300,
  num_layers: 1,
  bidirectional: true,
})
