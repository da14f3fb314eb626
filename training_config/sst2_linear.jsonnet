// Stanford Sentiment Treebank, two classes, with a linear model: TF-IDF of words and pairs of words, logistic regression.
local sst = import 'sst.libsonnet';
local papers = import 'papers.libsonnet';

papers.linear(sst({}, '2-class'), { type: 'linear_classifier' })
