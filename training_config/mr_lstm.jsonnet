// Movie reviews with a left-to-right LSTM: AllenNLP's own, 300 units.
local mr = import 'mr.libsonnet';

mr({
  type: 'lstm',
  hidden_size: 300,
})
