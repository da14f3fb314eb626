// Tag words with the recipe of tags_bilstm, but an S-LSTM instead of the BiLSTM.
{
  dataset_reader: {
    type: 'tagged_text',
    format: 'conllu',
    tag_column: 'xpos',
    token_indexers: {
      tokens: { type: 'single_id', lowercase_tokens: true },
      glove: { type: 'single_id', lowercase_tokens: true },
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
    encoder: { type: 'slstm', hidden_size: 150, num_steps: 5, transition: 'balanced' },
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
}
