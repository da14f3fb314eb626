// Natural language inference: MultiNLI. The best model is chosen on the matched dev set and evaluated on
// the mismatched one. Labels of the two test sets are not public: `allennlp predict` takes their files.
// `encoder` is a Seq2VecEncoder without its input_size.
local papers = import 'papers.libsonnet';

function(encoder) papers.pairs(encoder, 'nli') {
  dataset_reader+: { type: 'snli' },
  train_data_path: 'fixtures/mnli/train.jsonl',
  validation_data_path: 'fixtures/mnli/dev_matched.jsonl',
  test_data_path: 'fixtures/mnli/dev_mismatched.jsonl',
}
