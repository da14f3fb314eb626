// To see this config whole: slstm config pairs_slstm
// Classify sentence pairs with the recipe of pairs_bilstm, but an S-LSTM instead of the BiLSTM.
local pairs = import 'pairs.libsonnet';

pairs({ type: 'slstm', hidden_size: 100, num_steps: 5, pooling: ['max', 'mean'] })
