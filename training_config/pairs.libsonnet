// Pairs of sentences, as the CAS-LSTM paper has them: one encoder for both, max over the words, a
// multi-layer perceptron of 1024 units over φ. What it leaves to a supplement (rates, batches,
// schedule) is ours. `encoder` is a Seq2VecEncoder over words of 300 numbers; `features` is φ.
local words = import 'words.libsonnet';

function(encoder, features) {
  dataset_reader: {
    tokenizer: { type: 'spacy_blank' },
    token_indexers: { tokens: words.indexer },
  },
  evaluate_on_test: true,

  model: {
    type: 'sentence_pair_classifier',
    text_field_embedder: { token_embedders: { tokens: words.embedder { trainable: true } } },
    dropout: 0.1,
    seq2vec_encoder: encoder,
    features: features,
    feedforward: { num_layers: 1, hidden_dims: 1024, activations: 'relu', dropout: 0.2 },
  },

  data_loader: {
    batch_sampler: { type: 'bucket', batch_size: 32, sorting_keys: ['premise', 'hypothesis'] },
  },
  trainer: {
    optimizer: { type: 'adam', lr: 1e-3 },
    learning_rate_scheduler: { type: 'reduce_on_plateau', mode: 'max', factor: 0.5, patience: 0 },
    grad_norm: 5,
    num_epochs: 20,
    patience: 5,
    validation_metric: '+accuracy',
  },
}
