// To see this config whole: slstm config tags_bert
// Tag words with a fully fine-tuned BERT, MiniLM: the baseline for a recipe.
local reviews = import 'reviews_bert.jsonnet';

reviews {
  dataset_reader: {
    type: 'tagged_text',
    format: 'conllu',
    tag_column: 'xpos',
    token_indexers: reviews.dataset_reader.token_indexers,
  },
  train_data_path: 'fixtures/pos/train.conllu',
  validation_data_path: 'fixtures/pos/dev.conllu',
  test_data_path: 'fixtures/pos/test.conllu',

  model: {
    type: 'crf_tagger',
    text_field_embedder: reviews.model.text_field_embedder,
    encoder: { type: 'pass_through' },
    dropout: 0.1,
  },
  trainer+: { callbacks:: [] },  // a CRF is not calibrated
}
