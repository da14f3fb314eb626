// The recipes for texts, on one of the review datasets, on all of MR (`mr`), or on SST (`sst2`, `sst5`):
//
//   TASK=books DATA=/data/mtl slstm compare experiments/recipes.jsonnet --output-dir output/recipes/books
//
// Run in the project's folder, after `make vectors`. On SST, training reads whole sentences, no phrases.
local tasks = import 'tasks.libsonnet';
local task = std.extVar('TASK'), data = std.extVar('DATA');
local recipe(encoder) = { config: 'training_config/reviews_%s.jsonnet' % encoder };

local indexers = (import '../training_config/reviews.libsonnet')({}).dataset_reader.token_indexers;
local readers = {
  mr: { type: 'movie_review', token_indexers: indexers },
  sst2: { type: 'sst_tokens', granularity: '2-class', token_indexers: indexers },
  sst5: self.sst2 { granularity: '5-class' },
};
local reading = if std.objectHas(readers, task)
then { dataset_reader: readers[task] }
else { 'dataset_reader.dataset': task };

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
  overrides: tasks.paths(task, data) + reading,
}
