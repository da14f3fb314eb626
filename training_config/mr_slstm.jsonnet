// Movie reviews with an S-LSTM: the paper's settings.
local mr = import 'mr.libsonnet';

mr({
  type: 'slstm',
  hidden_size: 300,
  num_steps: 9,
})
