// Named entity recognition with a BiLSTM-CRF: the paper's own, Eq. 1, 300 units a direction.
local ner = import 'ner.libsonnet';

ner({
  type: 'coupled_lstm',
  hidden_size: 300,
  num_layers: 1,
  bidirectional: true,
})
