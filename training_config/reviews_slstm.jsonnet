// Classify texts with an S-LSTM over pretrained vectors and a frozen BERT, combined with a linear model:
// the recipe for few labelled texts.
{
  dataset_reader: {
    type: 'review',
    dataset: 'books',
    token_indexers: {
      tokens: { type: 'single_id', lowercase_tokens: true },
      glove: { type: 'single_id', lowercase_tokens: true },
      pieces: { type: 'utf8' },
    },
  },
  train_data_path: 'fixtures/mtl#train',
  validation_data_path: 'fixtures/mtl#dev',
  test_data_path: 'fixtures/mtl#test',
  evaluate_on_test: true,

  model: {
    type: 'classifier_and_linear',  // multiplies the probabilities of the two
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
      seq2vec_encoder: {
        type: 'compose',
        seq2seq_encoder: { type: 'slstm', hidden_size: 100, num_steps: 5, transition: 'fastnlp' },
        seq2vec_encoder: { type: 'additive_attention' },
      },
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
