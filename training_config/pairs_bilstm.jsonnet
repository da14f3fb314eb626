// Classify sentence pairs with the recipe of pairs_slstm, but PyTorch's BiLSTM instead of the S-LSTM.
local pairs = import 'pairs.libsonnet';

pairs({
  type: 'compose',
  seq2seq_encoder: { type: 'lstm', hidden_size: 100, bidirectional: true },
  seq2vec_encoder: { type: 'pooling', pooling: ['max', 'mean'] },
})
