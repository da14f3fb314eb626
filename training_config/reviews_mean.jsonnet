// The recipe of reviews_slstm.jsonnet with the mean of the words in place of an encoder: what an encoder
// has to beat.
local reviews = import 'reviews.libsonnet';

reviews({ type: 'boe', averaged: true })
