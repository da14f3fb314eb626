// The S-LSTM paper's Table 2 and Figures 2 and 3 on one corpus: sentence nodes, boundary words and the number of steps,
// changed one at a time, and some numbers of steps with a window of two words per side:
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
  eleven_steps: tasks.slstm({ num_steps: 11 }),
  thirteen_steps: tasks.slstm({ num_steps: 13 }),
  window_2_three_steps: tasks.slstm({ window_size: 2, num_steps: 3 }),
  window_2_five_steps: tasks.slstm({ window_size: 2, num_steps: 5 }),
  window_2: tasks.slstm({ window_size: 2 }),
})
