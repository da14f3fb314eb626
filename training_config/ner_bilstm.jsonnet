// Named entity recognition with a BiLSTM-CRF: AllenNLP's own bidirectional LSTM, 300 units a direction.
local ner = import 'ner.libsonnet';

ner({
  type: 'lstm',
  hidden_size: 300,
  num_layers: 1,
  bidirectional: true,
})
