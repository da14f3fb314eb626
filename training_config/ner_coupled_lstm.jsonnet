// To see this config whole: slstm config ner_coupled_lstm
// Tag named entities (CoNLL-2003) with the S-LSTM paper's BiLSTM (Eq. 1, 300 units per direction) and a
// CRF.
local ner = import 'ner.libsonnet';

ner({
  type: 'coupled_lstm',
  hidden_size: 300,
  num_layers: 1,
  bidirectional: true,
})
