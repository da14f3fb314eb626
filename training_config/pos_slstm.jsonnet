// Tag parts of speech (CoNLL-U files) with an S-LSTM-CRF, using the settings of Table 6 of the S-LSTM
// paper.
local pos = import 'pos.libsonnet';

pos({
  type: 'slstm',
  hidden_size: 300,
  num_steps: 7,
})
