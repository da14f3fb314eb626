// To see this config whole: slstm config sst2_lstm
// Classify the sentiment of Stanford Sentiment Treebank sentences (two classes) with PyTorch's two-layer
// LSTM and max-pooling.
local sst = import 'sst.libsonnet';

sst({
  type: 'compose',
  seq2seq_encoder: {
    type: 'lstm',
    hidden_size: 300,
    num_layers: 2,
    bidirectional: false,
  },
  seq2vec_encoder: { type: 'max_pooling' },
}, '2-class')
