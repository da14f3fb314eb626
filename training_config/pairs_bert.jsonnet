// To see this config whole: slstm config pairs_bert
// Classify sentence pairs with a fully fine-tuned BERT, MiniLM: the baseline for a recipe.
// BERT reads both sentences as one text, with its token [SEP] between them.
local reviews = import 'reviews_bert.jsonnet';

reviews {
  dataset_reader: {
    type: 'snli',
    tokenizer: { type: 'spacy_blank', separator: '[SEP]' },
    combine_input_fields: true,
    token_indexers: reviews.dataset_reader.token_indexers,
  },
  model+: { type: 'combined_pair_classifier' },
  train_data_path: 'fixtures/snli/train.jsonl',
  validation_data_path: 'fixtures/snli/dev.jsonl',
  test_data_path: 'fixtures/snli/test.jsonl',
}
