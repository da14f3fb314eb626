// Settings shared by the configs of both papers. A corpus file (mr.libsonnet) adds reader and data.
// `encoder` is a Seq2SeqEncoder for taggers and a Seq2VecEncoder otherwise, without its input_size.

// Word vectors of 300 dimensions, tuned in training, as in the S-LSTM paper.
// `vectors` sets pretrained ones: a package ("en_core_web_md"), a folder or a file (docs/vectors.md).
// Vectors of another size also need `embedding_dim`; all other sizes follow.
local indexer = { type: 'single_id', lowercase_tokens: true };
local embedder = { type: 'embedding', embedding_dim: 300, vectors: null };

// Batches of sentences of similar length in the given fields.
local batches(size, fields) = {
  batch_sampler: { type: 'bucket', batch_size: size, sorting_keys: fields },
};

// The training settings of the S-LSTM paper (Section 4.1), the same for all tasks.
local slstm_training(validation_metric) = {
  data_loader: batches(10, ['tokens']),
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
    validation_metric: validation_metric,
  },
};

// Training settings for pairs and trees. The CAS-LSTM paper leaves learning rate, batch size and schedule
// to a supplement that was not available; these values are ours.
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
  // Word vectors, an encoder that returns one vector, and a softmax.
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

  // Word and character vectors, an encoder and a CRF.
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

  // Sentence pairs, as in the CAS-LSTM paper: one encoder for both sentences and an MLP of 1,024 units on
  // the features φ (`features`). Word vectors are trained, because they are initialised randomly.
  // The paper keeps GloVe vectors fixed: with `vectors`, also set `trainable: false`.
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

  // Sentences and the phrases of their trees, as in the CAS-LSTM paper: an MLP of 300 units.
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

  // A linear model on the words instead of a task's neural model, fitted on the whole train set at once.
  // `task` is the task's config, such as mr({}); `model` is the linear model.
  linear(task, model): task {
    dataset_reader+: { token_indexers: { words: { type: 'utf8' } } },
    model: model,
    trainer: { type: 'fit', validation_metric: task.trainer.validation_metric },
  },
}
