// Sentiment of the Stanford Sentiment Treebank, as the CAS-LSTM paper has it: all phrases in training,
// whole sentences in evaluation, word vectors that training tunes, a multi-layer perceptron of 300 units.
// `encoder` is a Seq2VecEncoder without its input_size; `granularity` is '2-class' or '5-class'. Overrides of
// dataset_reader have to be given for validation_dataset_reader, too.
local training = import 'cas_training.libsonnet';
local words = import 'words.libsonnet';

function(encoder, granularity) training(['tokens']) {
  dataset_reader: {
    type: 'sst_tokens',
    granularity: granularity,
    use_subtrees: true,
    token_indexers: { tokens: words.indexer },
  },
  validation_dataset_reader: self.dataset_reader { use_subtrees: false },
  train_data_path: 'fixtures/sst/train.txt',
  validation_data_path: 'fixtures/sst/dev.txt',
  test_data_path: 'fixtures/sst/test.txt',
  evaluate_on_test: true,

  model: {
    type: 'basic_classifier',
    text_field_embedder: { token_embedders: { tokens: words.embedder } },
    seq2seq_encoder: { type: 'dropout', dropout: 0.5 },
    seq2vec_encoder: encoder,
    feedforward: {
      num_layers: 1,
      hidden_dims: 300,
      activations: 'relu',
      dropout: 0.5,
    },
  },
}
