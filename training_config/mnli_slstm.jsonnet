// To see this config whole: slstm config mnli_slstm
// Classify MultiNLI sentence pairs by entailment with an S-LSTM of 300 units and 9 steps.
local mnli = import 'mnli.libsonnet';

mnli({
  type: 'slstm',
  hidden_size: 300,
  num_steps: 9,
})
