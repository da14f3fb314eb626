// To see this config whole: slstm config sst5_slstm
// Classify the sentiment of Stanford Sentiment Treebank sentences (five classes) with an S-LSTM of 300
// units and 9 steps.
local sst = import 'sst.libsonnet';

sst({
  type: 'slstm',
  hidden_size: 300,
  num_steps: 9,
}, '5-class')
