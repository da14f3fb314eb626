// Movie reviews with a linear model: TF-IDF of words and pairs of words, logistic regression.
local linear = import 'linear.libsonnet';
local mr = import 'mr.libsonnet';

linear(mr({}), { type: 'linear_classifier' })
