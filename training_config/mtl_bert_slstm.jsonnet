// To see this config whole: slstm config mtl_bert_slstm
// Classify the sentiment of whole reviews with an S-LSTM over BERT's features.
local bert = import 'bert.libsonnet';

bert({
  type: 'slstm',
  hidden_size: 300,
  num_steps: 9,
})
