// Tag words with some thousand labelled sentences. The encoder reads two sets of pretrained word vectors,
// characters and the features of a frozen BERT; a CRF follows.
// `make vectors` installs the vectors and BERT.
// `encoder` is a Seq2SeqEncoder without its input_size.
local tags(encoder) = {
  dataset_reader: {
    type: 'tagged_text',
    format: 'conllu',
    tag_column: 'xpos',
    token_indexers: {
      tokens: { type: 'single_id', lowercase_tokens: true },
      glove: self.tokens,
      characters: { type: 'characters', min_padding_length: 4 },
      pieces: { type: 'utf8' },
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
        tokens: { type: 'embedding', embedding_dim: 300, vectors: 'en_core_web_md' },
        glove: { type: 'embedding', embedding_dim: 50, vectors: 'glove-6b-50d' },
        pieces: {
          type: 'transformer_features',
          model_name: 'all-MiniLM-L6-v2',
          layers: [3, 4],  // of six; the last layers encode less about single words (docs/recipes.md)
        },
        characters: {
          type: 'character_encoding',
          embedding: { embedding_dim: 30, vocab_namespace: 'token_characters' },
          encoder: { type: 'cnn', embedding_dim: 30, num_filters: 50, ngram_filter_sizes: [2, 3, 4] },
        },
      },
    },
    encoder: encoder,
    dropout: 0.3,  // on the embeddings and on the hidden states
  },

  data_loader: { batch_sampler: { type: 'bucket', batch_size: 16, sorting_keys: ['tokens'] } },
  trainer: {
    optimizer: { type: 'adam', lr: 2e-3 },
    learning_rate_scheduler: { type: 'linear_with_warmup', warmup_steps: 0 },  // falls to zero
    grad_norm: 5,
    num_epochs: 10,
    validation_metric: '+accuracy',
  },
};

// The same for named entities, with BIOES tags (BIOUL in AllenNLP) and span F1.
local entities(encoder) = tags(encoder) {
  dataset_reader: {
    type: 'conll_ner',
    coding_scheme: 'IOB1',
    token_indexers: tags(encoder).dataset_reader.token_indexers,
  },
  train_data_path: 'fixtures/ner/train.txt',
  validation_data_path: 'fixtures/ner/dev.txt',
  test_data_path: 'fixtures/ner/test.txt',

  model+: {
    label_encoding: 'BIOUL',
    constrain_crf_decoding: true,
    calculate_span_f1: true,
  },
  trainer+: { validation_metric: '+f1-measure-overall' },
};

{ tags: tags, entities: entities }
