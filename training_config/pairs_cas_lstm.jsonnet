// To see this config whole: slstm config pairs_cas_lstm
// Classify sentence pairs with the recipe of pairs_bilstm, but a cell-aware stacked LSTM (Choi, Kim and
// Lee, ACML 2019) instead of the BiLSTM.
local pairs = import 'pairs.libsonnet';

pairs({ type: 'cas_lstm', hidden_size: 100, num_layers: 2, bidirectional: true })
