// IWSLT 2014 with stacked LSTMs on both sides.
(import 'translation_lstm.jsonnet').iwslt14
