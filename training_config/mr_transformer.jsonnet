// To see this config whole: slstm config mr_transformer
// Classify the sentiment of movie-review sentences (MR) with an eight-layer Transformer and
// mean-pooling.
local mr = import 'mr.libsonnet';

// The paper gives no sizes. These have 190,000 weights per layer, as in its Table 3.
mr({
  type: 'compose',
  seq2seq_encoder: {
    type: 'compose',
    encoders: [
      {
        type: 'feedforward',
        feedforward: { input_dim: 300, num_layers: 1, hidden_dims: 128, activations: 'linear' },
      },
      {
        type: 'pytorch_transformer',
        input_dim: 128,
        num_layers: 8,
        num_attention_heads: 8,
        feedforward_hidden_dim: 484,
        positional_encoding: 'sinusoidal',
      },
    ],
  },
  seq2vec_encoder: { type: 'bag_of_embeddings', embedding_dim: 128, averaged: true },
})
