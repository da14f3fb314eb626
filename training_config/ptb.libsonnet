// Part-of-speech tagging of the Penn Treebank's Wall Street Journal: train 0-18, dev 19-21, test 22-24.
// `encoder` is a Seq2SeqEncoder without its input_size.
local papers = import 'papers.libsonnet';

function(encoder) papers.tagging(encoder, '+accuracy') {
  dataset_reader+: { type: 'penn_treebank_pos' },
  train_data_path: 'fixtures/ptb#train',
  validation_data_path: 'fixtures/ptb#dev',
  test_data_path: 'fixtures/ptb#test',
}
