// To see this config whole: slstm config mtl_slstm_attention
// Classify the sentiment of whole reviews with an S-LSTM and additive attention.
local mtl = import 'mtl.libsonnet';

mtl({
  type: 'compose',
  seq2seq_encoder: {
    type: 'slstm',
    hidden_size: 300,
    num_steps: 9,
  },
  seq2vec_encoder: { type: 'additive_attention' },
})
