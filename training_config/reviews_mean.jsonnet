// To see this config whole: slstm config reviews_mean
// Classify texts with the recipe of reviews_slstm, but the mean of the words instead of an encoder: the
// baseline for every encoder.
local reviews = import 'reviews.libsonnet';

reviews({ type: 'boe', averaged: true })
