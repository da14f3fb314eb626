// To see this config whole: slstm config mr_bilstm_attention
// Classify the sentiment of movie-review sentences (MR) with AllenNLP's BiLSTM and additive attention.
local mr = import 'mr.libsonnet';

mr({
  type: 'compose',
  seq2seq_encoder: {
    type: 'lstm',
    hidden_size: 300,
    num_layers: 1,
    bidirectional: true,
  },
  seq2vec_encoder: { type: 'additive_attention' },
})
