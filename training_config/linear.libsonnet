// A linear model in the place of a task's encoder: fitted at once, on the words themselves.
// `task` is the task's config, such as mr({}), and `model` the linear model.
function(task, model) task {
  dataset_reader+: { token_indexers: { words: { type: 'utf8' } } },
  model: model,
  trainer: { type: 'fit', validation_metric: task.trainer.validation_metric },
}
