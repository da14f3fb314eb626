// The independent choices of the S-LSTM's transition, changed one at a time, on one corpus:
//
//   TASK=sick DATA=/data/nli allennlp compare experiments/choices.jsonnet --output-dir output/choices/sick
local tasks = import 'tasks.libsonnet';

local changed(choice) = tasks.slstm({ transition: choice });

tasks.comparison(std.extVar('TASK'), std.extVar('DATA'), {
  slstm: tasks.slstm(),
  input_candidate: changed({ candidate: 'input' }),
  input_start: changed({ initial_state: 'input' }),
  linear: changed({ initialization: 'linear' }),
  mean: changed({ sentence_vector: 'mean' }),
  no_boundary: changed({ boundary: false }),
  shared_forget: changed({ sentence_forget: 'shared' }),
  softmax: changed({ gate_normalization: 'softmax' }),
})
