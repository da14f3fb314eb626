// Sentiment of movie-review sentences (Pang and Lee, 2005), with a random 80/10/10 split.
// `encoder` is a Seq2VecEncoder without its input_size.
local papers = import 'papers.libsonnet';

function(encoder) papers.classification(encoder) {
  dataset_reader+: { type: 'movie_review', seed: 0, folds: 10, fold: 0 },
  train_data_path: 'fixtures/mr#train',
  validation_data_path: 'fixtures/mr#dev',
  test_data_path: 'fixtures/mr#test',
}
