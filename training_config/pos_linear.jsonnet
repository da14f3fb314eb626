// Part-of-speech tagging with a linear CRF over the usual features (python-crfsuite).
local linear = import 'linear.libsonnet';
local pos = import 'pos.libsonnet';

linear(pos({}), { type: 'linear_tagger' })
