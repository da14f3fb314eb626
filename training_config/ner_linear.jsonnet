// To see this config whole: slstm config ner_linear
// Tag named entities (CoNLL-2003) with a linear CRF over hand-crafted features (python-crfsuite).
local ner = import 'ner.libsonnet';
local papers = import 'papers.libsonnet';

papers.linear(ner({}), { type: 'linear_tagger', label_encoding: 'BIOUL' })
