// Reviews with an S-LSTM over BERT's features, and external attention over its words.
local bert = import 'bert.libsonnet';

bert({
  type: 'compose',
  seq2seq_encoder: {
    type: 'slstm',
    hidden_size: 300,
    num_steps: 9,
  },
  seq2vec_encoder: { type: 'additive_attention' },
})
