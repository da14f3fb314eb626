// The recipes for few labelled texts, on one of the review datasets:
//
//   TASK=books DATA=/data/mtl slstm compare experiments/recipes.jsonnet --output-dir output/recipes/books
//
// Run in the project's folder, after `make vectors`.
local data = std.extVar('DATA');
local recipe(encoder) = { config: 'training_config/reviews_%s.jsonnet' % encoder };

{
  seeds: [13, 14, 15],
  baseline: 'slstm',
  linear: true,
  systems: {
    slstm: recipe('slstm'),
    bilstm_attention: recipe('bilstm_attention'),
    no_encoder: recipe('mean'),
  },
  overrides: {
    'dataset_reader.dataset': std.extVar('TASK'),
    train_data_path: data + '#train',
    validation_data_path: data + '#dev',
    test_data_path: data + '#test',
  },
}
