// What the part-of-speech taggers have in common: words and characters, a CRF on top, and the
// paper's way of training (Section 4.1). `encoder` is a Seq2SeqEncoder without its input_size.
function(encoder) {
  local word_size = 300,
  local character_filters = 50,

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
        // For GloVe, override pretrained_file with a file or URL of 300-dimensional vectors.
        tokens: { type: 'embedding', embedding_dim: word_size, pretrained_file: null },
        characters: {
          type: 'character_encoding',
          embedding: { embedding_dim: 30, vocab_namespace: 'token_characters' },
          encoder: {
            type: 'cnn',
            embedding_dim: 30,
            num_filters: character_filters,
            ngram_filter_sizes: [3],
          },
        },
      },
    },
    encoder: encoder { input_size: word_size + character_filters },
    dropout: 0.5,  // on the embeddings and on the hidden states
  },

  data_loader: {
    batch_sampler: { type: 'bucket', batch_size: 10, sorting_keys: ['tokens'] },
  },
  trainer: {
    optimizer: {
      type: 'adam',
      lr: 1e-3,
      weight_decay: 1e-3,
      // Under Adam, L2 wears away the vectors of all words and characters that a batch lacks.
      parameter_groups: [[['text_field_embedder'], { weight_decay: 0 }]],
    },
    learning_rate_scheduler: { type: 'exponential', gamma: 0.97 },
    grad_norm: 3,
    num_epochs: 30,
    patience: 8,
    validation_metric: '+accuracy',
  },
}
