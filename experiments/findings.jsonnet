// The S-LSTM paper's Table 2 and Figure 2 on one corpus: sentence nodes, boundary words, steps and a wider window,
// one changed at a time:
//
//   TASK=MR DATA=/data/mtl allennlp compare experiments/findings.jsonnet --output-dir output/findings/MR
local tasks = import 'tasks.libsonnet';

tasks.comparison(std.extVar('TASK'), std.extVar('DATA'), {
  slstm: tasks.slstm(),
  no_node: tasks.slstm({ num_sentence_nodes: 0 }),
  two_nodes: tasks.slstm({ num_sentence_nodes: 2 }),
  no_boundary: tasks.slstm({ boundary: false }),
  one_step: tasks.slstm({ num_steps: 1 }),
  three_steps: tasks.slstm({ num_steps: 3 }),
  five_steps: tasks.slstm({ num_steps: 5 }),
  seven_steps: tasks.slstm({ num_steps: 7 }),
  window_2: tasks.slstm({ window_size: 2 }),
})
