// To see this config whole: slstm config ptb_slstm
// Tag parts of speech (Penn Treebank) with an S-LSTM-CRF, using the settings of Table 6 of the S-LSTM
// paper.
local ptb = import 'ptb.libsonnet';

ptb({
  type: 'slstm',
  hidden_size: 300,
  num_steps: 7,
})
