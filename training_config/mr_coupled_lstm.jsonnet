// Movie reviews with a BiLSTM: the paper's own, Eq. 1, 300 units a direction.
local mr = import 'mr.libsonnet';

mr({
  type: 'coupled_lstm',
  hidden_size: 300,
  num_layers: 1,
  bidirectional: true,
})
