// Tag named entities (CoNLL-2003) with an S-LSTM-CRF, using the settings of Table 7 of the S-LSTM paper.
{
  dataset_reader: {
    type: 'conll_ner',
    coding_scheme: 'IOB1',  // of the files
    token_indexers: {
      tokens: { type: 'single_id', lowercase_tokens: true },
      characters: { type: 'characters', min_padding_length: 3 },
    },
  },
  train_data_path: 'fixtures/ner/train.txt',
  validation_data_path: 'fixtures/ner/dev.txt',
  test_data_path: 'fixtures/ner/test.txt',
  evaluate_on_test: true,

  model: {
    type: 'crf_tagger',
    text_field_embedder: {
      token_embedders: {
        // `vectors` sets pretrained ones: a package ("en_core_web_md"), a folder or a file.
        tokens: { type: 'embedding', embedding_dim: 300, vectors: null },
        characters: {
          type: 'character_encoding',
          embedding: { embedding_dim: 30, vocab_namespace: 'token_characters' },
          encoder: { type: 'cnn', embedding_dim: 30, num_filters: 50, ngram_filter_sizes: [3] },
        },
      },
    },
    encoder: { type: 'slstm', hidden_size: 300, num_steps: 9 },
    dropout: 0.5,  // on the embeddings and on the hidden states
    label_encoding: 'BIOUL',  // of the tags that the reader makes: BIOES
    constrain_crf_decoding: true,
    calculate_span_f1: true,
  },

  data_loader: { batch_sampler: { type: 'bucket', batch_size: 10, sorting_keys: ['tokens'] } },
  trainer: {
    optimizer: {
      type: 'adam',
      lr: 1e-3,
      weight_decay: 1e-3,
      // With Adam, L2 also shrinks the vectors of words and characters that are not in the batch.
      parameter_groups: [[['text_field_embedder'], { weight_decay: 0 }]],
    },
    learning_rate_scheduler: { type: 'exponential', gamma: 0.97 },
    grad_norm: 3,
    num_epochs: 30,
    patience: 8,
    validation_metric: '+f1-measure-overall',
  },
}
