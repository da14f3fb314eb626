// To see this config whole: slstm config snli_slstm
// Classify SNLI sentence pairs by entailment with an S-LSTM of 300 units and 9 steps.
local snli = import 'snli.libsonnet';

snli({
  type: 'slstm',
  hidden_size: 300,
  num_steps: 9,
})
