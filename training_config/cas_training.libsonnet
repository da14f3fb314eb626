// The way of training of the CAS-LSTM configs for pairs and trees. `sorting_keys` are the fields by whose
// length batches are made. The paper leaves rates, batches and schedule to a supplement: these are ours.
function(sorting_keys) {
  data_loader: {
    batch_sampler: { type: 'bucket', batch_size: 32, sorting_keys: sorting_keys },
  },
  trainer: {
    optimizer: { type: 'adam', lr: 1e-3 },
    learning_rate_scheduler: { type: 'reduce_on_plateau', mode: 'max', factor: 0.5, patience: 0 },
    grad_norm: 5,
    num_epochs: 20,
    patience: 5,
    validation_metric: '+accuracy',
  },
}
