// Paraphrase detection on the Quora question pairs, or on a corpus in their format, such as MRPC.
// `encoder` is a Seq2VecEncoder without its input_size.
local papers = import 'papers.libsonnet';

function(encoder) papers.pairs(encoder, 'paraphrase') {
  dataset_reader+: { type: 'quora_paraphrase' },
  train_data_path: 'fixtures/quora/train.tsv',
  validation_data_path: 'fixtures/quora/dev.tsv',
  test_data_path: 'fixtures/quora/test.tsv',
}
