// A BERT that is fine-tuned whole, beside the S-LSTM's recipe, on a corpus of RESULTS.md or a review set:
//
//   TASK=books DATA=/data/mtl SYSTEMS='bert slstm' slstm compare experiments/bert.jsonnet \
//     --output-dir output/bert/books
//
// TASK is sst2, ewt, wnut17, sick, mrpc or a review set. Run in the project's folder, after `make vectors`.
// The BERT is computed in bfloat16, on a processor that has instructions for it. `bert+2e-4` is trained with this rate,
// `bert+2e-4+8` for 8 epochs.
local tasks = import 'tasks.libsonnet';
local task = std.extVar('TASK');
local kind = std.get({ ewt: 'tags', wnut17: 'entities', sick: 'pairs', mrpc: 'pairs' }, task, 'reviews');
local indexers = {
  bert: { tokens: { type: 'utf8' } },
  slstm: (import '../training_config/reviews_slstm.jsonnet').dataset_reader.token_indexers,
};
local changes(system) = std.get({
  sst2: {
    dataset_reader: { type: 'sst_tokens', granularity: '2-class', token_indexers: indexers[system] },
  },
  ewt: {},
  wnut17: { 'dataset_reader.coding_scheme': 'IOB2' },
  sick: {},
  mrpc: { 'dataset_reader.type': 'quora_paraphrase' }
        + if system == 'bert' then {} else { 'model.features': 'paraphrase' },
}, task, { 'dataset_reader.dataset': task });
local bfloat16 = 'model.text_field_embedder.token_embedders.tokens.bfloat16';
local training = ['trainer.optimizer.lr', 'trainer.num_epochs'];  // what stands behind a system's name

{
  seeds: [13, 14, 15, 16, 17],
  systems: {
    [name]: {
      local parts = std.split(name, '+'),
      local system = parts[0],
      config: 'training_config/%s_%s.jsonnet' % [kind, system],
      overrides: changes(system)
                 + (if system == 'bert' then { [bfloat16]: true } else {})
                 + { [training[i]]: std.parseJson(parts[i + 1]) for i in std.range(0, std.length(parts) - 2) },
    }
    for name in std.split(std.extVar('SYSTEMS'), ' ')
  },
  overrides: tasks.paths(task, std.extVar('DATA')),
}
