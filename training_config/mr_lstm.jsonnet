// To see this config whole: slstm config mr_lstm
// Classify the sentiment of movie-review sentences (MR) with AllenNLP's left-to-right LSTM (300 units).
local mr = import 'mr.libsonnet';

mr({
  type: 'lstm',
  hidden_size: 300,
})
