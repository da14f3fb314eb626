// Quora question pairs with a CAS-LSTM: the paper's settings.
local quora = import 'quora.libsonnet';

quora({
  type: 'cas_lstm',
  hidden_size: 300,
  num_layers: 2,
  bidirectional: false,
})
