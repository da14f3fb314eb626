// Named entity recognition with a linear CRF over the usual features (python-crfsuite).
local linear = import 'linear.libsonnet';
local ner = import 'ner.libsonnet';

linear(ner({}), { type: 'linear_tagger', label_encoding: 'BIOUL' })
