// Translation with stacked LSTMs on both sides, the CAS-LSTM paper's baseline: the same decoder without
// cells from below, and PyTorch's LSTM, which here starts as the CAS-LSTM does.
local translation = import 'translation.libsonnet';

translation({ type: 'lstm' }, { type: 'cas_lstm_cell', fusion: null }) {
  model+: {
    initializer: {
      regexes: [
        ['_encoder.*weight_hh.*', { type: 'block_orthogonal', split_sizes: [$.size, $.size] }],
        ['_encoder.*bias_ih.*', 'zero'],
        ['_encoder.*bias_hh.*', 'lstm_hidden_bias'],
      ],
    },
  },
}
