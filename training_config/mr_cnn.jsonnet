// To see this config whole: slstm config mr_cnn
// Classify the sentiment of movie-review sentences (MR) with convolutions over three words, ReLU and
// max-pooling.
local mr = import 'mr.libsonnet';

mr({
  type: 'stacked_cnn',
  hidden_size: 300,
  num_layers: 1,
})
