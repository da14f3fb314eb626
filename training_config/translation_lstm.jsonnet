// To see this config whole: slstm config translation_lstm
// Translate with a stacked LSTM encoder and decoder, the baseline of the CAS-LSTM paper.
local translation = import 'translation.libsonnet';

// The decoder is that of the CAS-LSTM without the cells of the layer below. PyTorch's LSTM is initialised
// as the CAS-LSTM is.
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
