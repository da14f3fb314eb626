// Reviews with a linear model: TF-IDF of words and pairs of words, logistic regression.
local linear = import 'linear.libsonnet';
local mtl = import 'mtl.libsonnet';

linear(mtl({}), { type: 'linear_classifier' })
