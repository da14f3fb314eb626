// To see this config whole: slstm config pairs_frozen
// Classify sentence pairs with a logistic regression over the means of both sentences' words in a frozen
// BERT, MiniLM. `make vectors` installs it.
local reviews = import 'reviews_frozen.jsonnet';

reviews {
  dataset_reader: {
    type: 'snli',
    tokenizer: { type: 'spacy_blank' },
    token_indexers: reviews.dataset_reader.token_indexers,
  },
  model+: {
    type: 'linear_pair_classifier',
    features: 'nli',  // 'paraphrase' if the order of the two does not matter
    text_field_embedder+: { token_embedders+: { tokens+: { layers: [-1] } } },
  },
  data_loader+: { batch_sampler+: { sorting_keys: ['premise', 'hypothesis'] } },
  train_data_path: 'fixtures/snli/train.jsonl',
  validation_data_path: 'fixtures/snli/dev.jsonl',
  test_data_path: 'fixtures/snli/test.jsonl',
}
