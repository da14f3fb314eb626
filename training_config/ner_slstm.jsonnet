// Tag named entities (CoNLL-2003) with an S-LSTM-CRF, using the settings of Table 7 of the S-LSTM paper.
local ner = import 'ner.libsonnet';

ner({
  type: 'slstm',
  hidden_size: 300,
  num_steps: 9,
})
