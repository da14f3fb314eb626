// SNLI with an S-LSTM, 9 steps.
local snli = import 'snli.libsonnet';

snli({
  type: 'slstm',
  input_size: 300,
  hidden_size: 300,
  num_steps: 9,
})
