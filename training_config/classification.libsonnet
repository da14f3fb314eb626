// What the text classifiers have in common: words, any encoder that makes one vector of them, softmax.
// `encoder` is a Seq2VecEncoder over words of 300 numbers.
local training = import 'training.libsonnet';
local words = import 'words.libsonnet';

function(encoder) training('+accuracy') {
  dataset_reader: { token_indexers: { tokens: words.indexer } },
  evaluate_on_test: true,

  model: {
    type: 'basic_classifier',
    text_field_embedder: { token_embedders: { tokens: words.embedder } },
    seq2seq_encoder: { type: 'dropout', input_dim: words.size, dropout: 0.5 },
    seq2vec_encoder: encoder,
    dropout: 0.5,
  },
}
