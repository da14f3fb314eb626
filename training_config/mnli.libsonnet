// Natural language inference on MultiNLI. The matched dev set selects the best model; the mismatched
// dev set is the test set. The official test sets have no public labels; `allennlp predict` reads them.
// `encoder` is a Seq2VecEncoder without its input_size.
local papers = import 'papers.libsonnet';

function(encoder) papers.pairs(encoder, 'nli') {
  dataset_reader+: { type: 'snli' },
  train_data_path: 'fixtures/mnli/train.jsonl',
  validation_data_path: 'fixtures/mnli/dev_matched.jsonl',
  test_data_path: 'fixtures/mnli/dev_mismatched.jsonl',
}
