// What the configs of both papers share. A corpus, such as mr.libsonnet, adds its reader and its files.
// `encoder` is a Seq2SeqEncoder for taggers, a Seq2VecEncoder for all others, without its input_size.

// Words as the S-LSTM paper has them: vectors of 300 numbers, which training goes on to tune.
// `vectors` makes them pretrained ones: "en_core_web_md", another package, a folder or a file (docs/vectors.md).
// Vectors of another size need `embedding_dim`, too; all other sizes follow.
local indexer = { type: 'single_id', lowercase_tokens: true };
local embedder = { type: 'embedding', embedding_dim: 300, vectors: null };

// Batches of sentences of about the same length, by the fields named.
local batches(size, fields) = {
  batch_sampler: { type: 'bucket', batch_size: size, sorting_keys: fields },
};

// The S-LSTM paper's way of training (Section 4.1), the same for every task.
local slstm_training(validation_metric) = {
  data_loader: batches(10, ['tokens']),
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
    validation_metric: validation_metric,
  },
};

// Training for pairs and trees. The CAS-LSTM paper leaves rates, batches and schedule to a supplement:
// these are ours.
local cas_lstm_training(fields) = {
  data_loader: batches(32, fields),
  trainer: {
    optimizer: { type: 'adam', lr: 1e-3 },
    learning_rate_scheduler: { type: 'reduce_on_plateau', mode: 'max', factor: 0.5, patience: 0 },
    grad_norm: 5,
    num_epochs: 20,
    patience: 5,
    validation_metric: '+accuracy',
  },
};

{
  // Words, any encoder that makes one vector of them, softmax.
  classification(encoder): slstm_training('+accuracy') {
    dataset_reader: { token_indexers: { tokens: indexer } },
    evaluate_on_test: true,
    model: {
      type: 'basic_classifier',
      text_field_embedder: { token_embedders: { tokens: embedder } },
      seq2seq_encoder: { type: 'dropout', dropout: 0.5 },
      seq2vec_encoder: encoder,
      dropout: 0.5,
    },
  },

  // Words and characters, and a CRF on top.
  tagging(encoder, validation_metric): slstm_training(validation_metric) {
    dataset_reader: {
      token_indexers: {
        tokens: indexer,
        characters: { type: 'characters', min_padding_length: 3 },
      },
    },
    evaluate_on_test: true,
    model: {
      type: 'crf_tagger',
      text_field_embedder: {
        token_embedders: {
          tokens: embedder,
          characters: {
            type: 'character_encoding',
            embedding: { embedding_dim: 30, vocab_namespace: 'token_characters' },
            encoder: { type: 'cnn', embedding_dim: 30, num_filters: 50, ngram_filter_sizes: [3] },
          },
        },
      },
      encoder: encoder,
      dropout: 0.5,  // on the embeddings and on the hidden states
    },
  },

  // Pairs of sentences, as the CAS-LSTM paper has them: one encoder for both, max over the words, a
  // multi-layer perceptron of 1024 units over `features`, φ. Word vectors are trained, since they start
  // random; the paper's, GloVe's, remain fixed: with `vectors` set `trainable: false` beside it.
  pairs(encoder, features): cas_lstm_training(['premise', 'hypothesis']) {
    dataset_reader: {
      tokenizer: { type: 'spacy_blank' },
      token_indexers: { tokens: indexer },
    },
    evaluate_on_test: true,
    model: {
      type: 'sentence_pair_classifier',
      text_field_embedder: { token_embedders: { tokens: embedder { trainable: true } } },
      dropout: 0.1,
      seq2vec_encoder: encoder,
      features: features,
      feedforward: { num_layers: 1, hidden_dims: 1024, activations: 'relu', dropout: 0.2 },
    },
  },

  // Sentences with their trees' phrases, as the CAS-LSTM paper has them: a multi-layer perceptron of 300 units.
  trees(encoder): cas_lstm_training(['tokens']) {
    dataset_reader: { token_indexers: { tokens: indexer } },
    evaluate_on_test: true,
    model: {
      type: 'basic_classifier',
      text_field_embedder: { token_embedders: { tokens: embedder } },
      seq2seq_encoder: { type: 'dropout', dropout: 0.5 },
      seq2vec_encoder: encoder,
      feedforward: { num_layers: 1, hidden_dims: 300, activations: 'relu', dropout: 0.5 },
    },
  },

  // A linear model in the place of a task's encoder: fitted at once, on the words themselves.
  // `task` is the task's config, such as mr({}), and `model` the linear model.
  linear(task, model): task {
    dataset_reader+: { token_indexers: { words: { type: 'utf8' } } },
    model: model,
    trainer: { type: 'fit', validation_metric: task.trainer.validation_metric },
  },
}
