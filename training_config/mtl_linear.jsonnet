// To see this config whole: slstm config mtl_linear
// Classify the sentiment of whole reviews with a linear model: logistic regression over TF-IDF of words
// and word bigrams.
local mtl = import 'mtl.libsonnet';
local papers = import 'papers.libsonnet';

papers.linear(mtl({}), { type: 'linear_classifier' })
