// To see this config whole: slstm config pos_bilstm
// Tag parts of speech (CoNLL-U files) with AllenNLP's BiLSTM (300 units per direction) and a CRF.
local pos = import 'pos.libsonnet';

pos({
  type: 'lstm',
  hidden_size: 300,
  num_layers: 1,
  bidirectional: true,
})
