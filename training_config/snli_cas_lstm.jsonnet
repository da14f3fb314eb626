// Classify SNLI sentence pairs by entailment with a two-layer CAS-LSTM of 300 units, as in the CAS-LSTM
// paper.
{
  dataset_reader: {
    type: 'snli',
    tokenizer: { type: 'spacy_blank' },
    token_indexers: { tokens: { type: 'single_id', lowercase_tokens: true } },
  },
  train_data_path: 'fixtures/snli/train.jsonl',
  validation_data_path: 'fixtures/snli/dev.jsonl',
  test_data_path: 'fixtures/snli/test.jsonl',
  evaluate_on_test: true,

  model: {
    type: 'sentence_pair_classifier',
    text_field_embedder: {
      token_embedders: {
        // The paper keeps GloVe vectors fixed: with `vectors`, also set `trainable: false`.
        tokens: { type: 'embedding', embedding_dim: 300, vectors: null, trainable: true },
      },
    },
    dropout: 0.1,
    seq2vec_encoder: { type: 'cas_lstm', hidden_size: 300, num_layers: 2, bidirectional: false },
    features: 'nli',  // [a; b; |a − b|; a ⊙ b]
    feedforward: { num_layers: 1, hidden_dims: 1024, activations: 'relu', dropout: 0.2 },
  },

  // The paper leaves learning rate, batch size and schedule to a supplement; these values are ours.
  data_loader: { batch_sampler: { type: 'bucket', batch_size: 32, sorting_keys: ['premise', 'hypothesis'] } },
  trainer: {
    optimizer: { type: 'adam', lr: 1e-3 },
    learning_rate_scheduler: { type: 'reduce_on_plateau', mode: 'max', factor: 0.5, patience: 0 },
    grad_norm: 5,
    num_epochs: 20,
    patience: 5,
    validation_metric: '+accuracy',
  },
}
