// To see this config whole: slstm config reviews_bilstm_attention
// Classify texts with the recipe of reviews_slstm, but PyTorch's BiLSTM instead of the S-LSTM.
local reviews = import 'reviews.libsonnet';

reviews({
  type: 'compose',
  seq2seq_encoder: { type: 'padded_lstm', hidden_size: 100, bidirectional: true },
  seq2vec_encoder: { type: 'additive_attention' },
})
