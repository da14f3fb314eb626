// The recipes for pairs of sentences, on SICK or MRPC:
//
//   TASK=sick DATA=/data/nli slstm compare experiments/pair_recipes.jsonnet --output-dir output/pair_recipes/sick
//
// Run in the project's folder, after `make vectors`.
local data = std.extVar('DATA');
local recipe(encoder) = { config: 'training_config/pairs_%s.jsonnet' % encoder };
local corpora = {
  sick: {
    train_data_path: data + '/sick.train.jsonl',
    validation_data_path: data + '/sick.dev.jsonl',
    test_data_path: data + '/sick.test.jsonl',
  },
  mrpc: {
    'dataset_reader.type': 'quora_paraphrase',
    'model.features': 'paraphrase',
    train_data_path: data + '/mrpc.train.tsv',
    validation_data_path: data + '/mrpc.dev.tsv',
    test_data_path: data + '/mrpc.test.tsv',
  },
};

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
  overrides: corpora[std.extVar('TASK')],
}
