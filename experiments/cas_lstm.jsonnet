// The systems of the CAS-LSTM paper with 100 units and random word vectors of 100 dimensions, on one corpus:
//
//   TASK=sick DATA=/data/nli allennlp compare experiments/cas_lstm.jsonnet --output-dir output/cas_lstm/sick
//
// TASK is sick, mrpc, sst2 or sst5. Run in the project's folder.
local tasks = import 'tasks.libsonnet';
local task = std.extVar('TASK');
local prefix = { sick: 'snli', mrpc: 'quora', sst2: 'sst2', sst5: 'sst5' }[task];
local is_tree = std.startsWith(prefix, 'sst');
local units = 100;
local place = 'model.seq2vec_encoder';

local system(name, settings={}) = {
  local size = units * (if std.objectHas(settings, 'bidirectional') then 2 else 1),
  local of_lstm = if name == 'lstm' then { [place + '.seq2vec_encoder.embedding_dim']: size } else {},
  local path = if name == 'lstm' then place + '.seq2seq_encoder' else place,
  local all = { input_size: units, hidden_size: units } + settings,
  config: 'training_config/%s_%s.jsonnet' % [prefix, name],
  overrides: { [path + '.' + key]: all[key] for key in std.objectFields(all) } + of_lstm
             + (if is_tree then { 'model.feedforward.input_dim': size } else {}),
};
local layers(number, changes={}) = { num_layers: number } + changes;
local both_ways(number, changes={}) = layers(number, { bidirectional: true } + changes);
local variant(fusion) = system('cas_lstm', both_ways(3, { fusion: fusion }));

{
  seeds: [13, 14, 15],
  baseline: 'lstm',
  systems: {
    lstm: system('lstm', layers(2)),
    lstm_3: system('lstm', layers(3)),
    bilstm: system('lstm', both_ways(2)),
    bilstm_3: system('lstm', both_ways(3)),
    cas_lstm: system('cas_lstm', layers(2)),
    cas_lstm_3: system('cas_lstm', layers(3)),
    bi_cas_lstm: system('cas_lstm', both_ways(2)),
    bi_cas_lstm_3: system('cas_lstm', both_ways(3)),
    slstm: system('slstm'),
    // Table 6: variants of bi_cas_lstm_3.
    lambda_025: variant(0.25),
    lambda_075: variant(0.75),
    lambda_trained: variant('trainable'),
    sum: variant('sum'),
    peephole: variant('peephole'),
  },
  overrides: tasks.paths(task, std.extVar('DATA')) + {
    'model.text_field_embedder.token_embedders.tokens.embedding_dim': units,
    'model.feedforward.hidden_dims': if is_tree then units else 2 * units,
  } + (if is_tree then { 'model.seq2seq_encoder.input_dim': units } else {}),
}
