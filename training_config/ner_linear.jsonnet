// Named entity recognition with a linear CRF over the usual features (python-crfsuite).
local ner = import 'ner.libsonnet';
local papers = import 'papers.libsonnet';

papers.linear(ner({}), { type: 'linear_tagger', label_encoding: 'BIOUL' })
