// To see this config whole: slstm config mtl_bilstm_attention
// Classify the sentiment of whole reviews with AllenNLP's BiLSTM and additive attention.
local mtl = import 'mtl.libsonnet';

mtl({
  type: 'compose',
  seq2seq_encoder: {
    type: 'lstm',
    hidden_size: 300,
    num_layers: 1,
    bidirectional: true,
  },
  seq2vec_encoder: { type: 'additive_attention' },
})
