// To see this config whole: slstm config mr_coupled_lstm
// Classify the sentiment of movie-review sentences (MR) with the S-LSTM paper's BiLSTM (Eq. 1, 300 units
// per direction).
local mr = import 'mr.libsonnet';

mr({
  type: 'coupled_lstm',
  hidden_size: 300,
  num_layers: 1,
  bidirectional: true,
})
