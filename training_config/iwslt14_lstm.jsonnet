// To see this config whole: slstm config iwslt14_lstm
// Translate IWSLT 2014 German to English with a stacked LSTM encoder and decoder of 256 units.
(import 'translation_lstm.jsonnet').iwslt14
