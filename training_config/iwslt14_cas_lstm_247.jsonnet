// To see this config whole: slstm config iwslt14_cas_lstm_247
// Translate IWSLT 2014 German to English with CAS-LSTMs of 247 units, which have about as many weights
// as LSTMs of 256 (Table 5).
(import 'translation_cas_lstm.jsonnet').iwslt14 { size:: 247 }
