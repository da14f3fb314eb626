// To see this config whole: slstm config sst5_linear
// Classify the sentiment of Stanford Sentiment Treebank sentences (five classes) with a linear model:
// logistic regression over TF-IDF of words and word bigrams.
local sst = import 'sst.libsonnet';
local papers = import 'papers.libsonnet';

papers.linear(sst({}, '5-class'), { type: 'linear_classifier' })
