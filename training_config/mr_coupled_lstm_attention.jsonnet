// Movie reviews with the paper's own BiLSTM, Eq. 1, and external attention over its words.
local mr = import 'mr.libsonnet';

mr({
  type: 'compose',
  seq2seq_encoder: {
    type: 'coupled_lstm',
    hidden_size: 300,
    num_layers: 1,
    bidirectional: true,
  },
  seq2vec_encoder: { type: 'additive_attention' },
})
