// Quora question pairs with stacked LSTMs (PyTorch's), the maximum over the words.
local quora = import 'quora.libsonnet';

quora({
  type: 'compose',
  seq2seq_encoder: {
    type: 'lstm',
    hidden_size: 300,
    num_layers: 2,
    bidirectional: false,
  },
  seq2vec_encoder: { type: 'max_pooling' },
})
