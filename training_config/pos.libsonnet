// Part-of-speech tagging of CoNLL-U files, such as the English Web Treebank.
// `encoder` is a Seq2SeqEncoder without its input_size.
local papers = import 'papers.libsonnet';

function(encoder) papers.tagging(encoder, '+accuracy') {
  dataset_reader+: { type: 'tagged_text', format: 'conllu', tag_column: 'xpos' },
  train_data_path: 'fixtures/pos/train.conllu',
  validation_data_path: 'fixtures/pos/dev.conllu',
  test_data_path: 'fixtures/pos/test.conllu',
}
