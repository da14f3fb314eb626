// To see this config whole: slstm config entities_bert
// Tag named entities with a fully fine-tuned BERT, MiniLM: the baseline for a recipe.
local tags = import 'tags_bert.jsonnet';

tags {
  dataset_reader: {
    type: 'conll_ner',
    coding_scheme: 'IOB1',
    token_indexers: tags.dataset_reader.token_indexers,
  },
  train_data_path: 'fixtures/ner/train.txt',
  validation_data_path: 'fixtures/ner/dev.txt',
  test_data_path: 'fixtures/ner/test.txt',

  model+: {
    label_encoding: 'BIOUL',
    constrain_crf_decoding: true,
    calculate_span_f1: true,
  },
  trainer+: { validation_metric: '+f1-measure-overall' },
}
