// Part-of-speech tagging with a BiLSTM-CRF: AllenNLP's own bidirectional LSTM, 300 units a direction.
local pos = import 'pos.libsonnet';

pos({
  type: 'lstm',
  hidden_size: 300,
  num_layers: 1,
  bidirectional: true,
})
