// Translation with CAS-LSTMs on both sides.
local translation = import 'translation.libsonnet';

translation({ type: 'cas_lstm' }, { type: 'cas_lstm_cell' })
