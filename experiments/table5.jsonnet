// The S-LSTM paper's Table 5 at its size, 300 units and T = 9, with its settings of training:
//
//   TASK=MR DATA=/data/mtl SYSTEMS='slstm bilstm bilstm_2_layers bilstm_544' \
//     slstm compare experiments/table5.jsonnet --seeds 13 --output-dir output/table5/MR
//
// TASK is a review set. Run in the project's folder, after `make vectors`. The S-LSTM is computed in bfloat16, on a
// processor that has instructions for it: an epoch took 18 s on MR and 38 s on apparel, on one core of a Zen 5.
// GloVe's vectors of 300 dimensions were not available: the words are those of en_core_web_md, fixed.
// The S-LSTM has 3.7 million weights, a BiLSTM 1.4, that of two layers 3.6, that of 544 units 3.7.
local tasks = import 'tasks.libsonnet';
local slstm(transition, units=300) = {
  type: 'slstm',
  hidden_size: units,
  num_steps: 9,
  transition: transition,
  bfloat16: true,
};
local bilstm(units, layers) = {
  type: 'padded_lstm',
  hidden_size: units,
  num_layers: layers,
  bidirectional: true,
};
// What a system's training changes: `slstm+report` is trained as in the report on a rebuilt S-LSTM, for 20 epochs with a
// dropout of 0.2 and, since it names neither, without L2 and decay of the rate.
local no_l2 = { 'trainer.optimizer.weight_decay': 0 };
local dropout = { 'model.dropout': 0.2, 'model.seq2seq_encoder.dropout': 0.2 };
local report = no_l2 + dropout + {
  'trainer.num_epochs': 20,
  'trainer.patience': null,
  'trainer.learning_rate_scheduler': null,
};
// The report's layer between the sentence and the labels
local tanh(units) = {
  'model.feedforward': { input_dim: units, num_layers: 1, hidden_dims: units, activations: 'tanh' },
};
local trainings = {
  paper: {},
  no_l2: no_l2,
  dropout: dropout,
  report: report,
  report_tanh_100: report + tanh(100),
};
local encoders = {
  slstm: slstm('paper'),
  slstm_100: slstm('paper', 100),
  fastnlp: slstm('fastnlp'),
  released: slstm('released'),
  bilstm: bilstm(300, 1),
  bilstm_2_layers: bilstm(300, 2),
  bilstm_544: bilstm(544, 1),
};

{
  seeds: [13, 14, 15],
  systems: {
    [system]: {
      config: 'training_config/mtl_slstm.jsonnet',
      local parts = std.split(system + '+paper', '+'),
      overrides: { 'model.seq2vec_encoder': encoders[parts[0]] } + trainings[parts[1]],
    }
    for system in std.split(std.extVar('SYSTEMS'), ' ')
  },
  linear: true,
  overrides: tasks.paths(std.extVar('TASK'), std.extVar('DATA')) + {
    'dataset_reader.dataset': std.extVar('TASK'),
    'model.text_field_embedder.token_embedders.tokens': {
      type: 'embedding',
      embedding_dim: 300,
      vectors: 'en_core_web_md',
      trainable: false,
    },
  },
}
