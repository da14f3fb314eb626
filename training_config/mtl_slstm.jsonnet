// Reviews with an S-LSTM: the paper's settings.
local mtl = import 'mtl.libsonnet';

mtl({
  type: 'slstm',
  hidden_size: 300,
  num_steps: 9,
})
