// Reviews with a BiLSTM: the paper's own, Eq. 1, 300 units a direction.
local mtl = import 'mtl.libsonnet';

mtl({
  type: 'coupled_lstm',
  hidden_size: 300,
  num_layers: 1,
  bidirectional: true,
})
