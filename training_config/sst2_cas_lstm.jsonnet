// To see this config whole: slstm config sst2_cas_lstm
// Classify the sentiment of Stanford Sentiment Treebank sentences (two classes) with a two-layer
// CAS-LSTM of 300 units, as in the CAS-LSTM paper.
local sst = import 'sst.libsonnet';

sst({
  type: 'cas_lstm',
  hidden_size: 300,
  num_layers: 2,
  bidirectional: false,
}, '2-class')
