// What the text classifiers have in common: words, any encoder that makes one vector of them, softmax.
// `encoder` is a Seq2VecEncoder without its input_size.
local training = import 'training.libsonnet';
local words = import 'words.libsonnet';

function(encoder) training('+accuracy') {
  dataset_reader: { token_indexers: { tokens: words.indexer } },
  evaluate_on_test: true,

  model: {
    type: 'basic_classifier',
    text_field_embedder: { token_embedders: { tokens: words.embedder } },
    seq2seq_encoder: { type: 'dropout', dropout: 0.5 },
    seq2vec_encoder: encoder,
    dropout: 0.5,
  },
}
