// The recipes for pairs of sentences, on SICK or MRPC:
//
//   TASK=sick DATA=/data/nli slstm compare experiments/pair_recipes.jsonnet --output-dir output/pair_recipes/sick
//
// Run in the project's folder, after `make vectors`.
local tasks = import 'tasks.libsonnet';
local task = std.extVar('TASK');
local recipe(encoder) = { config: 'training_config/pairs_%s.jsonnet' % encoder };
local mrpc = { 'dataset_reader.type': 'quora_paraphrase', 'model.features': 'paraphrase' };

{
  seeds: [13, 14, 15],
  baseline: 'slstm',
  linear: true,
  systems: {
    slstm: recipe('slstm'),
    bilstm: recipe('bilstm'),
    cas_lstm: recipe('cas_lstm'),
    no_encoder: recipe('mean'),
  },
  overrides: tasks.paths(task, std.extVar('DATA')) + if task == 'mrpc' then mrpc else {},
}
