// To see this config whole: slstm config reviews_bilstm
// Classify texts with the recipe of reviews_slstm, but PyTorch's BiLSTM and the maximum and mean of the words
// instead of the S-LSTM and attention.
local reviews = import 'reviews.libsonnet';

reviews({
  type: 'compose',
  seq2seq_encoder: { type: 'padded_lstm', hidden_size: 100, bidirectional: true },
  seq2vec_encoder: { type: 'pooling', pooling: ['max', 'mean'] },
})
