// Every system on one corpus (compare_all.sh runs all corpora):
//
//   TASK=mr DATA=/data/mr allennlp compare experiments/evidence.jsonnet --output-dir output/evidence/mr
//
// Run in the project's folder. The encoders have about 168 thousand weights each (`released` 148, because its hidden
// size is that of the word vectors).
local tasks = import 'tasks.libsonnet';
local task = std.extVar('TASK');

local encoders = {
  balanced: tasks.slstm({ transition: 'balanced', hidden_size: 69 }),
  slstm: tasks.slstm(),
  slstm_layer_norm: tasks.slstm({ layer_norm: true }),
  slstm_softmax: tasks.slstm({ transition: { gate_normalization: 'softmax' } }),
  released: tasks.slstm({ transition: 'released' }),
  fastnlp: tasks.slstm({ transition: 'fastnlp', hidden_size: 69 }),
  bilstm: tasks.bilstm(task, { hidden_size: 116 }),
  bilstm_2_layers: tasks.bilstm(task, { hidden_size: 65, num_layers: 2 }),
  coupled_lstm: tasks.both_ways({ type: 'coupled_lstm', hidden_size: 116 }),
  cnn: { type: 'stacked_cnn', hidden_size: 152, num_layers: 3 },
  cas_lstm: tasks.both_ways({ type: 'cas_lstm', hidden_size: 69, num_layers: 2 }),
};
local with_attention = {
  slstm_attention: tasks.attention(tasks.slstm({ hidden_size: 63 })),
  bilstm_attention: tasks.attention(tasks.both_ways({ hidden_size: 100 })),
};
// For the corpora on which `bilstm` takes its last states.
local with_maximum = {
  bilstm_max_pooling: tasks.max_pooling(tasks.both_ways({ hidden_size: 116 })),
};

tasks.comparison(
  task,
  std.extVar('DATA'),
  encoders
  + (if tasks.is_tagger(task) then {} else with_attention)
  + (if tasks.is_tagger(task) || tasks.takes_maximum(task) then {} else with_maximum)
)
