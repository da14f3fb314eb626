// Classify texts with a logistic regression over the mean of a frozen BERT's words, MiniLM: half a minute,
// and the best of the recipes with fewer than 130 labelled sentences. `make vectors` installs it.
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
    type: 'linear_classifier',
    text_field_embedder: {
      token_embedders: {
        tokens: {
          type: 'transformer_features',
          model_name: 'all-MiniLM-L6-v2',
          layers: [3, 4],  // of six; the last layers encode less sentiment (docs/recipes.md)
          max_length: 256,  // word pieces; longer texts go through BERT in parts
        },
      },
    },
    calibrated: true,
  },

  data_loader: { batch_sampler: { type: 'bucket', batch_size: 64, sorting_keys: ['tokens'] } },
  trainer: { type: 'fit', validation_metric: '+accuracy' },
}
