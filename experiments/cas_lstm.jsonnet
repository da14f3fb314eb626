// The systems of the CAS-LSTM paper with 100 units and random word vectors of 100 dimensions, on one corpus:
//
//   TASK=sick DATA=/data/nli allennlp compare experiments/cas_lstm.jsonnet --output-dir output/cas_lstm/sick
//
// TASK is sick, mrpc, sst2 or sst5. Run in the project's folder.
local task = std.extVar('TASK');
local trees = ['/train.txt', '/dev.txt', '/test.txt'];
local corpus = {
  sick: { prefix: 'snli', parts: ['/sick.train.jsonl', '/sick.dev.jsonl', '/sick.test.jsonl'] },
  mrpc: { prefix: 'quora', parts: ['/mrpc.train.tsv', '/mrpc.dev.tsv', '/mrpc.test.tsv'] },
  sst2: { prefix: 'sst2', parts: trees },
  sst5: { prefix: 'sst5', parts: trees },
}[task];
local is_tree = corpus.parts == trees;
local units = 100;
local place = 'model.seq2vec_encoder';

local system(name, settings={}) = {
  local size = units * (if std.objectHas(settings, 'bidirectional') then 2 else 1),
  local of_lstm = if name == 'lstm' then { [place + '.seq2vec_encoder.embedding_dim']: size } else {},
  local path = if name == 'lstm' then place + '.seq2seq_encoder' else place,
  local all = { input_size: units, hidden_size: units } + settings,
  config: 'training_config/%s_%s.jsonnet' % [corpus.prefix, name],
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
  overrides: {
    train_data_path: std.extVar('DATA') + corpus.parts[0],
    validation_data_path: std.extVar('DATA') + corpus.parts[1],
    test_data_path: std.extVar('DATA') + corpus.parts[2],
    'model.text_field_embedder.token_embedders.tokens.embedding_dim': units,
    'model.feedforward.hidden_dims': if is_tree then units else 2 * units,
  } + (if is_tree then { 'model.seq2seq_encoder.input_dim': units } else {}),
}
