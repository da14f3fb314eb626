// Stanford Sentiment Treebank, two classes, with stacked LSTMs (PyTorch's), the maximum over the words.
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
