// The recipes for texts, on one of the review datasets, on all of MR (`mr`), or on SST (`sst2`, `sst5`):
//
//   TASK=books DATA=/data/mtl slstm compare experiments/recipes.jsonnet --output-dir output/recipes/books
//
// Run in the project's folder, after `make vectors`. On SST, training reads whole sentences, no phrases.
local task = std.extVar('TASK'), data = std.extVar('DATA');
local recipe(encoder) = { config: 'training_config/reviews_%s.jsonnet' % encoder };

local reader = (import '../training_config/reviews_mean.jsonnet').dataset_reader;
local paths(train, dev, test) = {
  train_data_path: data + train,
  validation_data_path: data + dev,
  test_data_path: data + test,
};
local sst(granularity) = paths('/train.txt', '/dev.txt', '/test.txt') + {
  dataset_reader: { type: 'sst_tokens', granularity: granularity, token_indexers: reader.token_indexers },
};
local corpora = {
  mr: paths('#train', '#dev', '#test') + {
    dataset_reader: { type: 'movie_review', token_indexers: reader.token_indexers },
  },
  sst2: sst('2-class'),
  sst5: sst('5-class'),
};
local review_set = paths('#train', '#dev', '#test') + { 'dataset_reader.dataset': task };

{
  seeds: [13, 14, 15, 16, 17],
  baseline: 'slstm',
  linear: true,
  systems: {
    slstm: recipe('slstm'),
    bilstm_attention: recipe('bilstm_attention'),
    bilstm: recipe('bilstm'),
    // No encoder: the same attention over the words' vectors and features, and their mean.
    attention: recipe('mean') {
      overrides: { 'model.classifier.seq2vec_encoder': { type: 'additive_attention' } },
    },
    no_encoder: recipe('mean'),
  },
  overrides: std.get(corpora, task, review_set),
}
