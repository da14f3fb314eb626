// Classify texts with an S-LSTM over pretrained vectors and a frozen BERT, combined with a linear model:
// the recipe for few labelled texts.
local reviews = import 'reviews.libsonnet';

reviews({
  type: 'compose',
  seq2seq_encoder: { type: 'slstm', hidden_size: 100, num_steps: 5, transition: 'fastnlp' },
  seq2vec_encoder: { type: 'additive_attention' },
})
