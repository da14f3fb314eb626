// To see this config whole: slstm config snli_linear
// Classify SNLI sentence pairs by entailment with a linear model: logistic regression over features of
// two TF-IDF vectors.
local snli = import 'snli.libsonnet';
local papers = import 'papers.libsonnet';

papers.linear(snli({}), { type: 'linear_pair_classifier' })
