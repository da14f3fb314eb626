// To see this config whole: slstm config mtl_bert_coupled_lstm
// Classify the sentiment of whole reviews with the S-LSTM paper's BiLSTM (Eq. 1) over BERT's features.
local bert = import 'bert.libsonnet';

bert({
  type: 'coupled_lstm',
  hidden_size: 300,
  num_layers: 1,
  bidirectional: true,
})
