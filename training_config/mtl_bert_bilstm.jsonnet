// Reviews with AllenNLP's own bidirectional LSTM over BERT's features.
local bert = import 'bert.libsonnet';

bert(function(size) {
  type: 'lstm',
  input_size: size,
  hidden_size: 300,
  num_layers: 1,
  bidirectional: true,
})
