// To see this config whole: slstm config quora_linear
// Detect paraphrases among Quora question pairs with a linear model: logistic regression over features
// of two TF-IDF vectors.
local quora = import 'quora.libsonnet';
local papers = import 'papers.libsonnet';

papers.linear(quora({}), { type: 'linear_pair_classifier', features: 'paraphrase' })
