// Stanford Sentiment Treebank, two classes, with a linear model: TF-IDF of words and pairs of words, logistic regression.
local linear = import 'linear.libsonnet';
local sst = import 'sst.libsonnet';

linear(sst({}, '2-class'), { type: 'linear_classifier' })
