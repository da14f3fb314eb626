// Sentiment of whole reviews. `dataset` names one of the 16 datasets of Liu et al. (2017).
// `encoder` is a Seq2VecEncoder without its input_size.
local papers = import 'papers.libsonnet';

function(encoder) papers.classification(encoder) {
  dataset_reader+: { type: 'review', dataset: 'books' },
  train_data_path: 'fixtures/mtl#train',
  validation_data_path: 'fixtures/mtl#dev',
  test_data_path: 'fixtures/mtl#test',
}
