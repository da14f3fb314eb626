// Reviews with convolutions over windows of three words, ReLU, and the maximum over the words.
local mtl = import 'mtl.libsonnet';

mtl({
  type: 'stacked_cnn',
  hidden_size: 300,
  num_layers: 1,
})
