// Part-of-speech tagging of the Penn Treebank with a BiLSTM-CRF: AllenNLP's own bidirectional LSTM, 300 units a direction.
local ptb = import 'ptb.libsonnet';

ptb({
  type: 'lstm',
  hidden_size: 300,
  num_layers: 1,
  bidirectional: true,
})
