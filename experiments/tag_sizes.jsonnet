// The recipes for tags, and two encoders alone, by the number of tagged sentences:
//
//   SIZE=250 DATA=sizes/250 slstm compare experiments/tag_sizes.jsonnet --output-dir output/tag_sizes/250
//
// Run in the project's folder, after `make vectors`. RESULTS.md has the commands that make DATA.
// Small sets get more epochs, so that every training reads at least 10,000 sentences.
local tasks = import 'tasks.libsonnet';
local data = std.extVar('DATA');
local budget = { 'trainer.num_epochs': std.max(10, std.floor(10000 / std.parseInt(std.extVar('SIZE')))) };

local recipe(encoder) = { config: 'training_config/tags_%s.jsonnet' % encoder, overrides: budget };
// As in faster.jsonnet: random word vectors, and the learning rate that was best for tags.
local alone = tasks.comparison('ewt', data, {
  slstm_alone: tasks.slstm({ transition: 'balanced', hidden_size: 69 }),
  bilstm_alone: tasks.both_ways({ hidden_size: 116 }),
});
local longer = budget { 'trainer.patience': null, 'trainer.optimizer': { type: 'adam', lr: 3e-3 } };

{
  seeds: [13, 14, 15],
  baseline: 'slstm',
  linear: true,
  systems: {
    slstm: recipe('slstm'),
    bilstm: recipe('bilstm'),
  } + {
    [name]: alone.systems[name] { overrides+: alone.overrides + longer }
    for name in std.objectFields(alone.systems)
  },
  overrides: tasks.paths('ewt', data),
}
