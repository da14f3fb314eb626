// To see this config whole: slstm config mtl_bert_cnn
// Classify the sentiment of whole reviews with convolutions over three words and max-pooling, over
// BERT's features.
local bert = import 'bert.libsonnet';

bert({
  type: 'stacked_cnn',
  hidden_size: 300,
  num_layers: 1,
})
