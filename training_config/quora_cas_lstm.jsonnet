// To see this config whole: slstm config quora_cas_lstm
// Detect paraphrases among Quora question pairs with a two-layer CAS-LSTM of 300 units, as in the
// CAS-LSTM paper.
local quora = import 'quora.libsonnet';

quora({
  type: 'cas_lstm',
  hidden_size: 300,
  num_layers: 2,
  bidirectional: false,
})
