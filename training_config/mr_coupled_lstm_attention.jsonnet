// To see this config whole: slstm config mr_coupled_lstm_attention
// Classify the sentiment of movie-review sentences (MR) with the S-LSTM paper's BiLSTM (Eq. 1) and
// additive attention.
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
