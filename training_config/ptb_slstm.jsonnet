// Part-of-speech tagging of the Penn Treebank with an S-LSTM-CRF: the paper's settings for Table 6.
local ptb = import 'ptb.libsonnet';

ptb({
  type: 'slstm',
  hidden_size: 300,
  num_steps: 7,
})
