// The presets of published code with one choice changed at a time, and combinations of the best, on one corpus:
//
//   TASK=ewt DATA=/data/pos allennlp compare experiments/presets.jsonnet --output-dir output/presets/ewt
local tasks = import 'tasks.libsonnet';

local fastnlp(choice={}, changes={}) =
  tasks.slstm({ transition: { preset: 'fastnlp' } + choice, hidden_size: 69 } + changes);
local balanced(choice={}, changes={}) = fastnlp({ preset: 'balanced' } + choice, changes);
local released(choice={}, changes={}) = tasks.slstm({ transition: { preset: 'released' } + choice } + changes);

tasks.comparison(std.extVar('TASK'), std.extVar('DATA'), {
  balanced: balanced(),  // fastNLP's with learned initial states and weights from a normal distribution
  balanced_node: balanced({ initial_state: 'input', sentence_vector: 'node' }),
  balanced_separate: balanced({ sentence_forget: 'separate' }, { hidden_size: 67 }),
  balanced_separate_from_input: balanced(
    { sentence_forget: 'separate', initial_state: 'input' }, { hidden_size: 67 }
  ),
  fastnlp: fastnlp(),
  fastnlp_boundary: fastnlp({ boundary: true }),
  fastnlp_layer_norm: fastnlp(changes={ layer_norm: true }),
  fastnlp_learned_start: fastnlp({ initial_state: 'learned' }),
  fastnlp_normal: fastnlp({ initialization: 'normal' }),
  fastnlp_separate: fastnlp({ sentence_forget: 'separate' }, { hidden_size: 67 }),
  fastnlp_sigmoids: fastnlp({ gate_normalization: 'sigmoid_softmax' }),
  fastnlp_without_projection: fastnlp({ project_input: false }, { hidden_size: 64 }),
  released: released(),
  released_layer_norm: released(changes={ layer_norm: true }),
  released_linear: released({ initialization: 'linear' }),
  released_projection: released({ project_input: true }),
  released_projection_softmax: released(
    { project_input: true, gate_normalization: 'softmax' }, { hidden_size: 67 }
  ),
  released_softmax: released({ gate_normalization: 'softmax' }),
}) { baseline: 'fastnlp' }
