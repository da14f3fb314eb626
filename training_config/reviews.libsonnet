// Classify texts with 50 to a few thousand labels. The encoder reads two sets of pretrained word vectors,
// which training tunes, and the features of a frozen BERT. Its probabilities are multiplied by those of a
// linear model over word counts. `make vectors` installs the vectors and BERT.
// `encoder` is a Seq2VecEncoder without its input_size.
function(encoder) {
  dataset_reader: {
    type: 'review',
    dataset: 'books',
    token_indexers: {
      tokens: { type: 'single_id', lowercase_tokens: true },
      glove: self.tokens,
      pieces: { type: 'utf8' },
    },
  },
  train_data_path: 'fixtures/mtl#train',
  validation_data_path: 'fixtures/mtl#dev',
  test_data_path: 'fixtures/mtl#test',
  evaluate_on_test: true,

  model: {
    type: 'classifier_and_linear',
    classifier: {
      type: 'basic_classifier',
      text_field_embedder: {
        token_embedders: {
          tokens: { type: 'embedding', embedding_dim: 300, vectors: 'en_core_web_md' },
          glove: { type: 'embedding', embedding_dim: 50, vectors: 'glove-6b-50d' },
          pieces: {
            type: 'transformer_features',
            model_name: 'all-MiniLM-L6-v2',
            layers: [3, 4],  // of six; the last layers encode less sentiment (docs/recipes.md)
          },
        },
      },
      seq2seq_encoder: { type: 'dropout', dropout: 0.5 },
      seq2vec_encoder: encoder,
      dropout: 0.5,
    },
    linear: { calibrated: true },
  },

  data_loader: { batch_sampler: { type: 'bucket', batch_size: 16, sorting_keys: ['tokens'] } },
  trainer: {
    optimizer: { type: 'adam', lr: 1e-3 },
    learning_rate_scheduler: { type: 'linear_with_warmup', warmup_steps: 0 },  // falls to zero
    grad_norm: 5,
    num_epochs: 8,
    validation_metric: '+accuracy',
    callbacks: [{ type: 'fit_linear' }, { type: 'calibrate' }],
  },
}
