// Stanford Sentiment Treebank, five classes, with a linear model: TF-IDF of words and pairs of words, logistic regression.
local linear = import 'linear.libsonnet';
local sst = import 'sst.libsonnet';

linear(sst({}, '5-class'), { type: 'linear_classifier' })
