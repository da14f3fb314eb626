// Natural language inference on SNLI, or on a corpus in its format, such as SICK.
// `encoder` is a Seq2VecEncoder without its input_size.
local papers = import 'papers.libsonnet';

function(encoder) papers.pairs(encoder, 'nli') {
  dataset_reader+: { type: 'snli' },
  train_data_path: 'fixtures/snli/train.jsonl',
  validation_data_path: 'fixtures/snli/dev.jsonl',
  test_data_path: 'fixtures/snli/test.jsonl',
}
