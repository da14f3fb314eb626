// To see this config whole: slstm config sst2_linear
// Classify the sentiment of Stanford Sentiment Treebank sentences (two classes) with a linear model:
// logistic regression over TF-IDF of words and word bigrams.
local sst = import 'sst.libsonnet';
local papers = import 'papers.libsonnet';

papers.linear(sst({}, '2-class'), { type: 'linear_classifier' })
