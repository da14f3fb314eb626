// Classify the sentiment of movie-review sentences (MR) with an S-LSTM, using the settings of the S-LSTM
// paper.
local mr = import 'mr.libsonnet';

mr({
  type: 'slstm',
  hidden_size: 300,
  num_steps: 9,
})
