// To see this config whole: slstm config quora_slstm
// Detect paraphrases among Quora question pairs with an S-LSTM of 300 units and 9 steps.
local quora = import 'quora.libsonnet';

quora({
  type: 'slstm',
  hidden_size: 300,
  num_steps: 9,
})
