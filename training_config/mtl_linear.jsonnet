// Reviews with a linear model: TF-IDF of words and pairs of words, logistic regression.
local mtl = import 'mtl.libsonnet';
local papers = import 'papers.libsonnet';

papers.linear(mtl({}), { type: 'linear_classifier' })
