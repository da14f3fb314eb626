// Part-of-speech tagging with a linear CRF over the usual features (python-crfsuite).
local pos = import 'pos.libsonnet';
local papers = import 'papers.libsonnet';

papers.linear(pos({}), { type: 'linear_tagger' })
