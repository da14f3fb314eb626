// The recipes, and two encoders alone, by the number of labelled reviews:
//
//   SIZE=50 TASK=apparel DATA=sizes/50 slstm compare experiments/sizes.jsonnet --output-dir output/sizes/50
//
// Run in the project's folder, after `make vectors`. RESULTS.md has the commands that make DATA.
// Small sets get more epochs, so that every training can read at least 3,200 reviews.
local tasks = import 'tasks.libsonnet';
local task = std.extVar('TASK'), data = std.extVar('DATA');
local budget = { 'trainer.num_epochs': std.max(8, std.floor(3200 / std.parseInt(std.extVar('SIZE')))) };

local recipe(encoder) = { config: 'training_config/reviews_%s.jsonnet' % encoder, overrides: budget };
// As in evidence.jsonnet: random word vectors of 64 dimensions, no linear model.
local alone = tasks.comparison(task, data, {
  slstm_alone: tasks.slstm({ transition: 'fastnlp', hidden_size: 69 }),
  bilstm_alone: tasks.attention(tasks.both_ways({ hidden_size: 100 })),
});

{
  seeds: [13, 14, 15],
  baseline: 'slstm',
  linear: true,
  systems: {
    slstm: recipe('slstm'),
    bilstm_attention: recipe('bilstm_attention'),
    no_encoder: recipe('mean'),
    frozen: { config: 'training_config/reviews_frozen.jsonnet' },
  } + {
    [name]: alone.systems[name] + { overrides+: alone.overrides + budget + { 'trainer.patience': null } }
    for name in std.objectFields(alone.systems)
  },
  overrides: tasks.paths(task, data) + { 'dataset_reader.dataset': task },
}
