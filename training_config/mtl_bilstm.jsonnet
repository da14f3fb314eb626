// To see this config whole: slstm config mtl_bilstm
// Classify the sentiment of whole reviews with AllenNLP's BiLSTM (300 units per direction).
local mtl = import 'mtl.libsonnet';

mtl({
  type: 'lstm',
  hidden_size: 300,
  num_layers: 1,
  bidirectional: true,
})
