// Reviews with convolutions over windows of three words and the maximum over the words, over BERT's
// features.
local bert = import 'bert.libsonnet';

bert({
  type: 'stacked_cnn',
  hidden_size: 300,
  num_layers: 1,
})
