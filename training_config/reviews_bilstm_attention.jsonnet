// The recipe of reviews_slstm.jsonnet with PyTorch's BiLSTM and attention, to compare with.
local reviews = import 'reviews.libsonnet';

reviews({
  type: 'compose',
  seq2seq_encoder: { type: 'lstm', hidden_size: 100, bidirectional: true },
  seq2vec_encoder: { type: 'additive_attention' },
})
