// What the taggers have in common: words and characters, and a CRF on top.
// `encoder` is a Seq2SeqEncoder without its input_size.
local training = import 'training.libsonnet';
local words = import 'words.libsonnet';

local character_filters = 50;

function(encoder, validation_metric) training(validation_metric) {
  dataset_reader: {
    token_indexers: {
      tokens: words.indexer,
      characters: { type: 'characters', min_padding_length: 3 },
    },
  },
  evaluate_on_test: true,

  model: {
    type: 'crf_tagger',
    text_field_embedder: {
      token_embedders: {
        tokens: words.embedder,
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
    encoder: encoder,
    dropout: 0.5,  // on the embeddings and on the hidden states
  },
}
