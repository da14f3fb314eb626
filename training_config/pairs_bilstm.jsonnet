// To see this config whole: slstm config pairs_bilstm
// Classify sentence pairs with PyTorch's BiLSTM over pretrained vectors and a frozen BERT: the recipe for
// few labelled pairs.
local pairs = import 'pairs.libsonnet';

pairs({
  type: 'compose',
  seq2seq_encoder: { type: 'padded_lstm', hidden_size: 100, bidirectional: true },
  seq2vec_encoder: { type: 'pooling', pooling: ['max', 'mean'] },
})
