// Classify texts with a fully fine-tuned BERT, MiniLM: the baseline for a recipe.
// `make vectors` installs it.
{
  dataset_reader: {
    type: 'review',
    dataset: 'books',
    token_indexers: { tokens: { type: 'utf8' } },
  },
  train_data_path: 'fixtures/mtl#train',
  validation_data_path: 'fixtures/mtl#dev',
  test_data_path: 'fixtures/mtl#test',
  evaluate_on_test: true,

  model: {
    type: 'basic_classifier',
    namespace: 'utf8',  // that of the token indexer
    text_field_embedder: {
      token_embedders: {
        tokens: {
          type: 'transformer_features',
          model_name: 'all-MiniLM-L6-v2',
          max_length: 256,  // word pieces; longer texts go through BERT in parts
          train_parameters: true,
        },
      },
    },
    seq2vec_encoder: { type: 'boe', averaged: true },  // the mean of the words, as MiniLM was trained
    dropout: 0.1,
  },

  data_loader: { batch_sampler: { type: 'bucket', batch_size: 16, sorting_keys: ['tokens'] } },
  trainer: {
    optimizer: { type: 'adamw', lr: 1e-4, weight_decay: 0.01 },
    learning_rate_scheduler: { type: 'slanted_triangular', cut_frac: 0.1 },  // rises for a tenth, then falls
    grad_norm: 1,
    num_epochs: 4,
    validation_metric: '+accuracy',
    callbacks: [{ type: 'calibrate' }],
  },
}
