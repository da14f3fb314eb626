// What the scale of the word vectors does where there are none to read from a file, on one corpus:
//
//   TASK=sick DATA=/data/nli allennlp compare experiments/scale.jsonnet --output-dir output/scale/sick
//
// `_scaled` reads words by `scaled_embedding`, the others by AllenNLP's `embedding`.
local tasks = import 'tasks.libsonnet';
local task = std.extVar('TASK');

local last_states = tasks.both_ways({ hidden_size: 116 });
local encoders = {
  slstm: tasks.slstm(),
  released: tasks.slstm({ transition: 'released' }),
  bilstm: if task == 'sick' || task == 'sst2' then tasks.maximum(last_states) else last_states,
};
local scaled = { [name + '_scaled']: encoders[name] for name in std.objectFields(encoders) };

tasks.comparison(task, std.extVar('DATA'), encoders + scaled) {
  systems+: {
    [name]+: {
      overrides+: { 'model.text_field_embedder.token_embedders.tokens.type': 'scaled_embedding' },
    }
    for name in std.objectFields(scaled)
  },
}
