// Quora question pairs with a linear model: φ of two TF-IDF vectors, logistic regression.
local linear = import 'linear.libsonnet';
local quora = import 'quora.libsonnet';

linear(quora({}), { type: 'linear_pair_classifier', features: 'paraphrase' })
