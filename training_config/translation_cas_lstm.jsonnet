// To see this config whole: slstm config translation_cas_lstm
// Translate with a CAS-LSTM encoder and decoder (two layers of 256 units).
local translation = import 'translation.libsonnet';

translation({ type: 'cas_lstm' }, { type: 'cas_lstm_cell' })
