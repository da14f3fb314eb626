// Tag parts of speech (CoNLL-U files) with a BiLSTM-CRF: the S-LSTM paper's BiLSTM (Eq. 1, 300 units per
// direction).
local pos = import 'pos.libsonnet';

pos({
  type: 'coupled_lstm',
  hidden_size: 300,
  num_layers: 1,
  bidirectional: true,
})
