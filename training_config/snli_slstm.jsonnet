// SNLI with an S-LSTM, 9 steps.
local snli = import 'snli.libsonnet';

snli({
  type: 'slstm',
  hidden_size: 300,
  num_steps: 9,
})
