// Classify SNLI sentence pairs by entailment with a two-layer CAS-LSTM of 300 units, as in the CAS-LSTM
// paper.
local snli = import 'snli.libsonnet';

snli({
  type: 'cas_lstm',
  hidden_size: 300,
  num_layers: 2,
  bidirectional: false,
})
