// To see this config whole: slstm config mr_slstm_attention
// Classify the sentiment of movie-review sentences (MR) with an S-LSTM and additive attention.
local mr = import 'mr.libsonnet';

mr({
  type: 'compose',
  seq2seq_encoder: {
    type: 'slstm',
    hidden_size: 300,
    num_steps: 9,
  },
  seq2vec_encoder: { type: 'additive_attention' },
})
