// To see this config whole: slstm config mnli_lstm
// Classify MultiNLI sentence pairs by entailment with PyTorch's two-layer LSTM and max-pooling.
local mnli = import 'mnli.libsonnet';

mnli({
  type: 'compose',
  seq2seq_encoder: {
    type: 'lstm',
    hidden_size: 300,
    num_layers: 2,
    bidirectional: false,
  },
  seq2vec_encoder: { type: 'max_pooling' },
})
