// Movie reviews with a Transformer and the mean over the words. The paper gives no sizes; these have its
// Table 3's 190 thousand weights a layer.
local mr = import 'mr.libsonnet';

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
