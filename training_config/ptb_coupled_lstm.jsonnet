// Tag parts of speech (Penn Treebank) with a BiLSTM-CRF: the S-LSTM paper's BiLSTM (Eq. 1, 300 units per
// direction).
local ptb = import 'ptb.libsonnet';

ptb({
  type: 'coupled_lstm',
  hidden_size: 300,
  num_layers: 1,
  bidirectional: true,
})
