// To see this config whole: slstm config mtl_cnn
// Classify the sentiment of whole reviews with convolutions over three words, ReLU and max-pooling.
local mtl = import 'mtl.libsonnet';

mtl({
  type: 'stacked_cnn',
  hidden_size: 300,
  num_layers: 1,
})
