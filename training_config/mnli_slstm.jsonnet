// MultiNLI with an S-LSTM, 9 steps.
local mnli = import 'mnli.libsonnet';

mnli({
  type: 'slstm',
  hidden_size: 300,
  num_steps: 9,
})
