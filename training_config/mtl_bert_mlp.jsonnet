// To see this config whole: slstm config mtl_bert_mlp
// Classify the sentiment of whole reviews with an MLP over the mean of BERT's features.
local bert = import 'bert.libsonnet';

// The last column of the re-implementation report, which does not say how the words are pooled, nor the
// size of the MLP.
bert({ type: 'bag_of_embeddings', averaged: true }) {
  model+: {
    feedforward: {
      num_layers: 1,
      hidden_dims: 300,
      activations: 'relu',
      dropout: 0.2,
    },
    dropout: 0,  // the feedforward has its own, on what it makes
  },
}
