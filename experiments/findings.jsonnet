// The S-LSTM paper's findings on one of the review datasets, for `allennlp compare`, at a size for a CPU:
//
//   DATA=/data/mtl DATASET=apparel allennlp compare experiments/findings.jsonnet --output-dir output/findings
//
// Run in the project's folder. All systems have words of 64 numbers and about 168 thousand weights, but for
// those whose change is of weights (nodes, steps, boundary words, attention).
local slstm(changes={}) = {
  config: 'training_config/mtl_slstm.jsonnet',
  overrides: {
    'model.seq2vec_encoder': { type: 'slstm', input_size: 64, hidden_size: 64 } + changes,
  },
};
local lstm(changes) = {
  config: 'training_config/mtl_bilstm.jsonnet',
  overrides: {
    'model.seq2vec_encoder': { type: 'lstm', input_size: 64, bidirectional: true } + changes,
  },
};

{
  seeds: [13, 14, 15, 16, 17],
  baseline: 'slstm',
  systems: {
    slstm: slstm(),
    no_node: slstm({ num_sentence_nodes: 0 }),
    two_nodes: slstm({ num_sentence_nodes: 2 }),
    no_boundary: slstm({ boundary: false }),
    one_step: slstm({ num_steps: 1 }),
    three_steps: slstm({ num_steps: 3 }),
    six_steps: slstm({ num_steps: 6 }),
    layer_norm: slstm({ layer_norm: true }),
    softmax: slstm({ transition: { gate_normalization: 'softmax' } }),
    fastnlp: slstm({ hidden_size: 69, transition: 'fastnlp' }),
    bilstm: lstm({ hidden_size: 116 }),
    bilstm_2_layers: lstm({ hidden_size: 65, num_layers: 2 }),
  },
  overrides: {
    'dataset_reader.dataset': std.extVar('DATASET'),
    train_data_path: std.extVar('DATA') + '#train',
    validation_data_path: std.extVar('DATA') + '#dev',
    test_data_path: std.extVar('DATA') + '#test',
    'model.text_field_embedder.token_embedders.tokens.embedding_dim': 64,
    'model.seq2seq_encoder.input_dim': 64,
    'trainer.num_epochs': 8,
    'trainer.patience': 2,
    'trainer.optimizer.weight_decay': 0,
  },
}
