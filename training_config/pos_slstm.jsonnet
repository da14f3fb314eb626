// Tag parts of speech (CoNLL-U files) with an S-LSTM-CRF, using the settings of Table 6 of the S-LSTM
// paper.
{
  dataset_reader: {
    type: 'tagged_text',
    format: 'conllu',
    tag_column: 'xpos',
    token_indexers: {
      tokens: { type: 'single_id', lowercase_tokens: true },
      characters: { type: 'characters', min_padding_length: 3 },
    },
  },
  train_data_path: 'fixtures/pos/train.conllu',
  validation_data_path: 'fixtures/pos/dev.conllu',
  test_data_path: 'fixtures/pos/test.conllu',
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
    encoder: { type: 'slstm', hidden_size: 300, num_steps: 7 },
    dropout: 0.5,  // on the embeddings and on the hidden states
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
    validation_metric: '+accuracy',
  },
}
