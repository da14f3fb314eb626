// Part-of-speech tagging with an S-LSTM-CRF: the paper's settings for Table 6.
local pos = import 'pos.libsonnet';

pos({
  type: 'slstm',
  hidden_size: 300,
  num_steps: 7,
})
