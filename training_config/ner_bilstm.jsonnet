// Tag named entities (CoNLL-2003) with a BiLSTM-CRF: AllenNLP's BiLSTM (300 units per direction).
local ner = import 'ner.libsonnet';

ner({
  type: 'lstm',
  hidden_size: 300,
  num_layers: 1,
  bidirectional: true,
})
