// Pairs of sentences, as the CAS-LSTM paper has them: one encoder for both, max over the words, a
// multi-layer perceptron of 1024 units over φ. `encoder` is a Seq2VecEncoder without its input_size;
// `features` is φ. Word vectors are trained, since they start random; the paper's, GloVe's, remain fixed:
// with `vectors` set `trainable: false` beside it.
local training = import 'cas_training.libsonnet';
local words = import 'words.libsonnet';

function(encoder, features) training(['premise', 'hypothesis']) {
  dataset_reader: {
    tokenizer: { type: 'spacy_blank' },
    token_indexers: { tokens: words.indexer },
  },
  evaluate_on_test: true,

  model: {
    type: 'sentence_pair_classifier',
    text_field_embedder: { token_embedders: { tokens: words.embedder { trainable: true } } },
    dropout: 0.1,
    seq2vec_encoder: encoder,
    features: features,
    feedforward: { num_layers: 1, hidden_dims: 1024, activations: 'relu', dropout: 0.2 },
  },
}
