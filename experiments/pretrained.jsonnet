// The systems of evidence.jsonnet with pretrained word vectors of 300 dimensions, on one corpus:
//
//   TASK=sick DATA=/data/nli slstm compare experiments/pretrained.jsonnet --output-dir output/pretrained/sick
//
// Run in the project's folder, after `make vectors`. The word vectors are frozen, as in the CAS-LSTM paper. The
// encoders have about 388 thousand weights each.
local tasks = (import 'tasks.libsonnet') + {
  words(is_tagger):: {
    'model.text_field_embedder.token_embedders.tokens.vectors': 'en_core_web_md',
    'model.text_field_embedder.token_embedders.tokens.trainable': false,
  } + if is_tagger then {
    'model.text_field_embedder.token_embedders.characters.encoder.num_filters': 16,
  } else {},
};
local task = std.extVar('TASK');

local encoders = {
  balanced: tasks.slstm({ transition: 'balanced', hidden_size: 102 }),
  slstm: tasks.slstm({ hidden_size: 80 }),
  // Its initial states are the word vectors: here, a linear map of them.
  released: tasks.slstm({ transition: { preset: 'released', project_input: true }, hidden_size: 100 }),
  fastnlp: tasks.slstm({ transition: 'fastnlp', hidden_size: 102 }),
  bilstm: tasks.bilstm(task, { hidden_size: 116 }),
  bilstm_2_layers: tasks.bilstm(task, { hidden_size: 78, num_layers: 2 }),
  coupled_lstm: tasks.both_ways({ type: 'coupled_lstm', hidden_size: 116 }),
  cnn: { type: 'stacked_cnn', hidden_size: 190, num_layers: 3 },
  cas_lstm: tasks.both_ways({ type: 'cas_lstm', hidden_size: 82, num_layers: 2 }),
};
local with_attention = {
  slstm_attention: tasks.attention(tasks.slstm({ hidden_size: 79 })),
  bilstm_attention: tasks.attention(tasks.both_ways({ hidden_size: 105 })),
};

// The learning rate of each system, chosen from 1e-3 and 3e-3 on dev with seed 13; 1e-3 in a tie. Other corpora were
// not run, nor on books `bilstm_2_layers`, `coupled_lstm`, `cnn` and `released`.
local at_3e3 = {
  sick: ['slstm', 'slstm_attention', 'bilstm', 'bilstm_2_layers', 'bilstm_attention'],
  books: ['slstm', 'slstm_attention', 'balanced', 'bilstm_attention'],
};
local rate(system) = if std.member(std.get(at_3e3, task, []), system) then 3e-3 else 1e-3;

local comparison = tasks.comparison(
  task,
  std.extVar('DATA'),
  encoders + if tasks.is_tagger(task) then {} else with_attention
);

comparison {
  seeds: [13, 14, 15],
  linear: true,
  systems: std.mapWithKey(
    function(name, system) system {
      overrides+: { 'trainer.optimizer': { type: 'adam', lr: rate(name) } },
    },
    comparison.systems
  ),
}
