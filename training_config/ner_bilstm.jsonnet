// To see this config whole: slstm config ner_bilstm
// Tag named entities (CoNLL-2003) with AllenNLP's BiLSTM (300 units per direction) and a CRF.
local ner = import 'ner.libsonnet';

ner({
  type: 'lstm',
  hidden_size: 300,
  num_layers: 1,
  bidirectional: true,
})
