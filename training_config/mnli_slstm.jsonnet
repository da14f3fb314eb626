// MultiNLI with an S-LSTM, 9 steps.
local mnli = import 'mnli.libsonnet';

mnli({
  type: 'slstm',
  input_size: 300,
  hidden_size: 300,
  num_steps: 9,
})
