// SNLI with a linear model: φ of two TF-IDF vectors, logistic regression.
local snli = import 'snli.libsonnet';
local papers = import 'papers.libsonnet';

papers.linear(snli({}), { type: 'linear_pair_classifier' })
