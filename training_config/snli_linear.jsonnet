// SNLI with a linear model: φ of two TF-IDF vectors, logistic regression.
local linear = import 'linear.libsonnet';
local snli = import 'snli.libsonnet';

linear(snli({}), { type: 'linear_pair_classifier' })
