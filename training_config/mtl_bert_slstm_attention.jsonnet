// Reviews with an S-LSTM over BERT's features, and external attention over its words.
local bert = import 'bert.libsonnet';

bert(function(size) {
  type: 'compose',
  seq2seq_encoder: {
    type: 'slstm',
    input_size: size,
    hidden_size: 300,
    num_steps: 9,
  },
  seq2vec_encoder: { type: 'additive_attention', input_size: 300 },
})
