// To see this config whole: slstm config quora_lstm
// Detect paraphrases among Quora question pairs with PyTorch's two-layer LSTM and max-pooling.
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
