// The scale of random word vectors, on one corpus:
//
//   TASK=sick DATA=/data/nli allennlp compare experiments/scale.jsonnet --output-dir output/scale/sick
//
// Systems `..._scaled` use `scaled_embedding`, the others AllenNLP's `embedding`.
local tasks = import 'tasks.libsonnet';
local task = std.extVar('TASK');

local encoders = {
  slstm: tasks.slstm(),
  released: tasks.slstm({ transition: 'released' }),
  bilstm: tasks.bilstm(task, { hidden_size: 116 }),
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
