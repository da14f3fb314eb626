// The columns of the re-implementation report, over MiniLM's frozen features, on one of the review datasets:
//
//   TASK=books DATA=/data/mtl slstm compare experiments/features.jsonnet --output-dir output/features/books
//
// Run in the project's folder, after `make vectors`. No word vectors, and no linear model in the classifier. The
// encoders have about 694 thousand weights each, with attention too.
local tasks = import 'tasks.libsonnet';
local data = std.extVar('DATA');
local column(name, changes={}) = { config: 'training_config/mtl_bert_%s.jsonnet' % name, overrides: changes };
local encoder(config) = { 'model.seq2vec_encoder': config };
local slstm(hidden_size) = tasks.slstm({ hidden_size: hidden_size, num_steps: 5, transition: 'fastnlp' });

{
  seeds: [13, 14, 15],
  baseline: 'slstm',
  linear: true,
  systems: {
    slstm: column('slstm', encoder(slstm(132))),
    slstm_attention: column('slstm', encoder(tasks.attention(slstm(130)))),
    bilstm: column('bilstm', encoder(tasks.both_ways({ hidden_size: 100 }))),
    bilstm_attention: column('bilstm', encoder(tasks.attention(tasks.both_ways({ hidden_size: 95 })))),
    cnn: column('cnn', { 'model.seq2vec_encoder.hidden_size': 300 }),
    mlp: column('mlp'),
  },
  overrides: tasks.paths(std.extVar('TASK'), data) + {
    'dataset_reader.dataset': std.extVar('TASK'),
    'model.text_field_embedder.token_embedders.tokens.model_name': 'all-MiniLM-L6-v2',
    'model.text_field_embedder.token_embedders.tokens.layers': [3, 4],  // as in reviews.libsonnet
    'trainer.num_epochs': 8,
    'trainer.learning_rate_scheduler': { type: 'linear_with_warmup', warmup_steps: 0 },
  },
}
