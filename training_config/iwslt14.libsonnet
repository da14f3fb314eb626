// What differs for IWSLT 2014 German-English: two files, in pieces of words (byte pair encoding, 10,000)
// as fairseq's prepare-iwslt14.sh makes them: iwslt14.tokenized.de-en/{train,valid,test}.{de,en}.
{
  dataset_reader+: { type: 'parallel_text', quoting:: null },
  // The sample has two files for dev alone, so that training, too, is on these until you give your own.
  train_data_path: 'fixtures/translation/dev.{de,en}',
  validation_data_path: 'fixtures/translation/dev.{de,en}',
  vocabulary:: null,  // all pieces, however rare
}
