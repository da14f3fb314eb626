// To see this config whole: slstm config mtl_slstm
// Classify the sentiment of whole reviews with an S-LSTM, using the settings of the S-LSTM paper.
local mtl = import 'mtl.libsonnet';

mtl({
  type: 'slstm',
  hidden_size: 300,
  num_steps: 9,
})
