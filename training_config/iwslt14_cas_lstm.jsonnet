// Translate IWSLT 2014 German to English with a CAS-LSTM encoder and decoder of 256 units.
(import 'translation_cas_lstm.jsonnet').iwslt14
