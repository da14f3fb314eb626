// SNLI with a CAS-LSTM: the paper's settings.
local snli = import 'snli.libsonnet';

snli({
  type: 'cas_lstm',
  hidden_size: 300,
  num_layers: 2,
  bidirectional: false,
})
