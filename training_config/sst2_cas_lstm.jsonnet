// Stanford Sentiment Treebank, two classes, with a CAS-LSTM: the paper's settings.
local sst = import 'sst.libsonnet';

sst({
  type: 'cas_lstm',
  hidden_size: 300,
  num_layers: 2,
  bidirectional: false,
}, '2-class')
