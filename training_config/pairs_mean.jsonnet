// To see this config whole: slstm config pairs_mean
// Classify sentence pairs with the recipe of pairs_bilstm, but the mean of the words instead of an
// encoder: the baseline for every encoder.
local pairs = import 'pairs.libsonnet';

pairs({ type: 'boe', averaged: true })
