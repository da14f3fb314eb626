// IWSLT 2014 with stacked LSTMs on both sides.
(import 'translation_lstm.jsonnet') + (import 'iwslt14.libsonnet')
