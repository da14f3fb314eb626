// To see this config whole: slstm config mr_bilstm
// Classify the sentiment of movie-review sentences (MR) with AllenNLP's BiLSTM (300 units per
// direction).
local mr = import 'mr.libsonnet';

mr({
  type: 'lstm',
  hidden_size: 300,
  num_layers: 1,
  bidirectional: true,
})
