// Movie reviews with a linear model: TF-IDF of words and pairs of words, logistic regression.
local mr = import 'mr.libsonnet';
local papers = import 'papers.libsonnet';

papers.linear(mr({}), { type: 'linear_classifier' })
