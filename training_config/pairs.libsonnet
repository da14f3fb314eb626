// Classify sentence pairs with some thousand labels. One encoder for both sentences reads two sets of
// pretrained word vectors and the features of a frozen BERT. `make vectors` installs the vectors and BERT.
// `encoder` is a Seq2VecEncoder without its input_size.
function(encoder) {
  dataset_reader: {
    type: 'snli',
    tokenizer: { type: 'spacy_blank' },
    token_indexers: {
      tokens: { type: 'single_id', lowercase_tokens: true },
      glove: self.tokens,
      pieces: { type: 'utf8' },
    },
  },
  train_data_path: 'fixtures/snli/train.jsonl',
  validation_data_path: 'fixtures/snli/dev.jsonl',
  test_data_path: 'fixtures/snli/test.jsonl',
  evaluate_on_test: true,

  model: {
    type: 'sentence_pair_classifier',
    text_field_embedder: {
      token_embedders: {
        tokens: { type: 'embedding', embedding_dim: 300, vectors: 'en_core_web_md' },
        glove: { type: 'embedding', embedding_dim: 50, vectors: 'glove-6b-50d' },
        pieces: { type: 'transformer_features', model_name: 'all-MiniLM-L6-v2', layers: [3, 6] },
      },
    },
    dropout: 0.1,
    seq2vec_encoder: encoder,
    features: 'nli',  // 'paraphrase' if the order of the two does not matter
    feedforward: { num_layers: 1, hidden_dims: 300, activations: 'relu', dropout: 0.2 },
  },

  data_loader: { batch_sampler: { type: 'bucket', batch_size: 32, sorting_keys: ['premise', 'hypothesis'] } },
  trainer: {
    optimizer: { type: 'adam', lr: 1e-3 },
    learning_rate_scheduler: { type: 'linear_with_warmup', warmup_steps: 0 },  // falls to zero
    grad_norm: 5,
    num_epochs: 8,
    validation_metric: '+accuracy',
    callbacks: [{ type: 'calibrate' }],
  },
}
