// To see this config whole: slstm config pos_linear
// Tag parts of speech (CoNLL-U files) with a linear CRF over hand-crafted features (python-crfsuite).
local pos = import 'pos.libsonnet';
local papers = import 'papers.libsonnet';

papers.linear(pos({}), { type: 'linear_tagger' })
