// The recipes on the first SIZE reviews of a train set, for `slstm compare`:
//
//   for size in 50 100 200 400 800; do
//     SIZE=$size TASK=apparel DATA=/data/mtl slstm compare experiments/sizes.jsonnet \
//       --output-dir output/sizes/$size
//   done
local recipes = import 'recipes.jsonnet';
local reader = (import '../training_config/reviews_slstm.jsonnet').dataset_reader;

recipes {
  systems: { [name]: recipes.systems[name] for name in ['slstm', 'bilstm_attention', 'no_encoder'] },
  overrides+: {
    'dataset_reader.max_instances': std.parseInt(std.extVar('SIZE')),
    validation_dataset_reader: reader { dataset: std.extVar('TASK') },  // for all dev and test reviews
  },
}
