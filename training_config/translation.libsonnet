// Translation with an attentional encoder-decoder of two layers and 256 units, as in the CAS-LSTM paper
// (Section 4.4). `encoder` is a Seq2SeqEncoder and `decoder_net` a DecoderNet, both without sizes.

// IWSLT 2014 German-English: two files per part, in subwords (BPE, 10,000 merges), written by fairseq's
// prepare-iwslt14.sh: iwslt14.tokenized.de-en/{train,valid,test}.{de,en}.
local iwslt14 = {
  dataset_reader+: { type: 'parallel_text', quoting:: null },
  // The bundled sample has two files only for dev: training uses them until you give your own.
  train_data_path: 'fixtures/translation/dev.{de,en}',
  validation_data_path: 'fixtures/translation/dev.{de,en}',
  vocabulary:: null,  // all subwords, without a minimum count
};

function(encoder, decoder_net) {
  iwslt14:: self + iwslt14,

  // Set another size with a two-line config; all sizes below follow:
  //   (import 'training_config/translation_cas_lstm.jsonnet')
  //   + { size:: 128 }  // see iwslt14_cas_lstm_247.jsonnet
  size:: 256,
  dropout:: 0.2,

  dataset_reader: {
    type: 'seq2seq',  // for two files: parallel_text, without `quoting`
    quoting: 3,  // csv.QUOTE_NONE: quotation marks are ordinary characters
    source_tokenizer: { type: 'just_spaces' },
    source_token_indexers: { tokens: { type: 'single_id', namespace: 'source_tokens' } },
    target_token_indexers: { tokens: { type: 'single_id', namespace: 'target_tokens' } },
    source_add_start_token: false,
  },
  train_data_path: 'fixtures/translation/train.tsv',
  validation_data_path: 'fixtures/translation/dev.tsv',
  vocabulary: { min_count: { source_tokens: 2, target_tokens: 2 } },

  model: {
    type: 'composed_seq2seq',
    source_text_embedder: {
      token_embedders: {
        tokens: { type: 'embedding', embedding_dim: $.size, vocab_namespace: 'source_tokens' },
      },
    },
    encoder: {
      type: 'compose',
      encoders: [
        { type: 'dropout', input_dim: $.size, dropout: $.dropout },
        encoder { input_size: $.size, hidden_size: $.size, num_layers: 2, dropout: $.dropout },
        { type: 'dropout', input_dim: $.size, dropout: $.dropout },
      ],
    },
    decoder: {
      type: 'auto_regressive_seq_decoder',
      target_namespace: 'target_tokens',
      target_embedder: { embedding_dim: $.size, vocab_namespace: 'target_tokens' },
      decoder_net: decoder_net {
        decoding_dim: $.size,
        target_embedding_dim: $.size,
        num_layers: 2,
        dropout: $.dropout,
        attention: { type: 'bilinear', vector_dim: $.size, matrix_dim: $.size },
      },
      beam_search: { beam_size: 10, max_steps: 100 },
      token_based_metric: { type: 'token_bleu' },
    },
  },

  data_loader: {
    batch_sampler: { type: 'bucket', batch_size: 64, sorting_keys: ['source_tokens'] },
  },
  trainer: {
    optimizer: { type: 'adam', lr: 1e-3 },
    learning_rate_scheduler: { type: 'reduce_on_plateau', mode: 'max', factor: 0.5, patience: 1 },
    grad_norm: 5,
    num_epochs: 30,
    patience: 5,
    validation_metric: '+BLEU',
  },
}
