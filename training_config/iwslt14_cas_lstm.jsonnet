// IWSLT 2014 with CAS-LSTMs on both sides.
(import 'translation_cas_lstm.jsonnet').iwslt14
