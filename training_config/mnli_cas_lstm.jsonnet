// MultiNLI with a CAS-LSTM: the paper's settings.
local mnli = import 'mnli.libsonnet';

mnli({
  type: 'cas_lstm',
  hidden_size: 300,
  num_layers: 2,
  bidirectional: false,
})
