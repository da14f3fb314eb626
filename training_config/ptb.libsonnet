// Part-of-speech tagging of the Wall Street Journal in the Penn Treebank, sections 0-18, 19-21 and 22-24.
// `encoder` is a Seq2SeqEncoder without its input_size.
local papers = import 'papers.libsonnet';

function(encoder) papers.tagging(encoder, '+accuracy') {
  dataset_reader+: { type: 'penn_treebank_pos' },
  train_data_path: 'fixtures/ptb#train',
  validation_data_path: 'fixtures/ptb#dev',
  test_data_path: 'fixtures/ptb#test',
}
