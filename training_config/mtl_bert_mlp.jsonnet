// Reviews with a plain MLP over the mean of BERT's features, the report's last column. How it makes one
// vector of the words, and the size of its layer, it does not say.
local bert = import 'bert.libsonnet';

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
