// Part-of-speech tagging of the Penn Treebank with a BiLSTM-CRF: the paper's own, Eq. 1, 300 units a direction.
local ptb = import 'ptb.libsonnet';

ptb({
  type: 'coupled_lstm',
  hidden_size: 300,
  num_layers: 1,
  bidirectional: true,
})
