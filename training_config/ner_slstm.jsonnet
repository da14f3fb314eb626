// Named entity recognition with an S-LSTM-CRF: the paper's settings for Table 7.
local ner = import 'ner.libsonnet';

ner({
  type: 'slstm',
  hidden_size: 300,
  num_steps: 9,
})
