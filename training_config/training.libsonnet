// The paper's way of training (Section 4.1), the same for every task.
function(validation_metric) {
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
    validation_metric: validation_metric,
  },
}
