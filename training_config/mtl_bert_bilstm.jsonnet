// To see this config whole: slstm config mtl_bert_bilstm
// Classify the sentiment of whole reviews with AllenNLP's BiLSTM over BERT's features.
local bert = import 'bert.libsonnet';

bert({
  type: 'lstm',
  hidden_size: 300,
  num_layers: 1,
  bidirectional: true,
})
