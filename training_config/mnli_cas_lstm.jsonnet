// To see this config whole: slstm config mnli_cas_lstm
// Classify MultiNLI sentence pairs by entailment with a two-layer CAS-LSTM of 300 units, as in the
// CAS-LSTM paper.
local mnli = import 'mnli.libsonnet';

mnli({
  type: 'cas_lstm',
  hidden_size: 300,
  num_layers: 2,
  bidirectional: false,
})
