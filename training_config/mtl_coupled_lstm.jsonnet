// To see this config whole: slstm config mtl_coupled_lstm
// Classify the sentiment of whole reviews with the S-LSTM paper's BiLSTM (Eq. 1, 300 units per
// direction).
local mtl = import 'mtl.libsonnet';

mtl({
  type: 'coupled_lstm',
  hidden_size: 300,
  num_layers: 1,
  bidirectional: true,
})
