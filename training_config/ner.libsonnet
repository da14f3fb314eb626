// Named entities of CoNLL-2003, with BIOES tags (BIOUL in AllenNLP).
// `encoder` is a Seq2SeqEncoder without its input_size.
local papers = import 'papers.libsonnet';

function(encoder) papers.tagging(encoder, '+f1-measure-overall') {
  dataset_reader+: { type: 'conll_ner', coding_scheme: 'IOB1' },
  train_data_path: 'fixtures/ner/train.txt',
  validation_data_path: 'fixtures/ner/dev.txt',
  test_data_path: 'fixtures/ner/test.txt',

  model+: {
    label_encoding: 'BIOUL',
    constrain_crf_decoding: true,
    calculate_span_f1: true,
  },
}
