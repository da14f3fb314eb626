// To see this config whole: slstm config mr_linear
// Classify the sentiment of movie-review sentences (MR) with a linear model: logistic regression over
// TF-IDF of words and word bigrams.
local mr = import 'mr.libsonnet';
local papers = import 'papers.libsonnet';

papers.linear(mr({}), { type: 'linear_classifier' })
