// Movie reviews with a BiLSTM: AllenNLP's own bidirectional LSTM, 300 units a direction.
local mr = import 'mr.libsonnet';

mr({
  type: 'lstm',
  hidden_size: 300,
  num_layers: 1,
  bidirectional: true,
})
