// Classify the sentiment of movie-review sentences (MR) with an S-LSTM, using the settings of the S-LSTM
// paper.
{
  dataset_reader: {
    type: 'movie_review',
    seed: 0,
    folds: 10,
    fold: 0,
    token_indexers: { tokens: { type: 'single_id', lowercase_tokens: true } },
  },
  train_data_path: 'fixtures/mr#train',
  validation_data_path: 'fixtures/mr#dev',
  test_data_path: 'fixtures/mr#test',
  evaluate_on_test: true,

  model: {
    type: 'basic_classifier',
    text_field_embedder: {
      token_embedders: {
        // `vectors` sets pretrained ones: a package ("en_core_web_md"), a folder or a file.
        tokens: { type: 'embedding', embedding_dim: 300, vectors: null },
      },
    },
    seq2seq_encoder: { type: 'dropout', dropout: 0.5 },  // on the embeddings
    seq2vec_encoder: { type: 'slstm', hidden_size: 300, num_steps: 9 },
    dropout: 0.5,
  },

  data_loader: { batch_sampler: { type: 'bucket', batch_size: 10, sorting_keys: ['tokens'] } },
  trainer: {
    optimizer: {
      type: 'adam',
      lr: 1e-3,
      weight_decay: 1e-3,
      // With Adam, L2 also shrinks the vectors of words that are not in the batch.
      parameter_groups: [[['text_field_embedder'], { weight_decay: 0 }]],
    },
    learning_rate_scheduler: { type: 'exponential', gamma: 0.97 },
    grad_norm: 3,
    num_epochs: 30,
    patience: 8,
    validation_metric: '+accuracy',
  },
}
