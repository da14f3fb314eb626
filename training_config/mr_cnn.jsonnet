// Movie reviews with convolutions over windows of three words, ReLU, and the maximum over the words.
local mr = import 'mr.libsonnet';

mr({
  type: 'stacked_cnn',
  hidden_size: 300,
  num_layers: 1,
})
