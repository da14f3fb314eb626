// To see this config whole: slstm config ptb_bilstm
// Tag parts of speech (Penn Treebank) with AllenNLP's BiLSTM (300 units per direction) and a CRF.
local ptb = import 'ptb.libsonnet';

ptb({
  type: 'lstm',
  hidden_size: 300,
  num_layers: 1,
  bidirectional: true,
})
