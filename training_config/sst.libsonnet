// Sentiment of the Stanford Sentiment Treebank: training on all phrases, evaluation on whole sentences.
// `encoder` is a Seq2VecEncoder without its input_size; `granularity` is '2-class' or '5-class'.
// Overrides of dataset_reader must be repeated for validation_dataset_reader.
local papers = import 'papers.libsonnet';

function(encoder, granularity) papers.trees(encoder) {
  dataset_reader+: { type: 'sst_tokens', granularity: granularity, use_subtrees: true },
  validation_dataset_reader: self.dataset_reader { use_subtrees: false },
  train_data_path: 'fixtures/sst/train.txt',
  validation_data_path: 'fixtures/sst/dev.txt',
  test_data_path: 'fixtures/sst/test.txt',
}
