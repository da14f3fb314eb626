// Quora question pairs with an S-LSTM, 9 steps.
local quora = import 'quora.libsonnet';

quora({
  type: 'slstm',
  hidden_size: 300,
  num_steps: 9,
})
