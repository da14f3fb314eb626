// To see this config whole: slstm config mtl_bert_slstm_attention
// Classify the sentiment of whole reviews with an S-LSTM and additive attention over BERT's features.
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
