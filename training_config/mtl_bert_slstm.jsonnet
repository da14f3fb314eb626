// Reviews with an S-LSTM over BERT's features.
local bert = import 'bert.libsonnet';

bert(function(size) {
  type: 'slstm',
  input_size: size,
  hidden_size: 300,
  num_steps: 9,
})
