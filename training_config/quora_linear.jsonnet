// Quora question pairs with a linear model: φ of two TF-IDF vectors, logistic regression.
local quora = import 'quora.libsonnet';
local papers = import 'papers.libsonnet';

papers.linear(quora({}), { type: 'linear_pair_classifier', features: 'paraphrase' })
