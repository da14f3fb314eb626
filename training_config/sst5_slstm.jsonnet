// Stanford Sentiment Treebank, five classes, with an S-LSTM, 9 steps.
local sst = import 'sst.libsonnet';

sst({
  type: 'slstm',
  hidden_size: 300,
  num_steps: 9,
}, '5-class')
