// Reviews with a BiLSTM: AllenNLP's own bidirectional LSTM, 300 units a direction.
local mtl = import 'mtl.libsonnet';

mtl({
  type: 'lstm',
  hidden_size: 300,
  num_layers: 1,
  bidirectional: true,
})
