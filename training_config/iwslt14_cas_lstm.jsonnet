// To see this config whole: slstm config iwslt14_cas_lstm
// Translate IWSLT 2014 German to English with a CAS-LSTM encoder and decoder of 256 units.
(import 'translation_cas_lstm.jsonnet').iwslt14
