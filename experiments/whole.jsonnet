// Encoders of about the same number of weights with random word vectors, on a whole train set:
//
//   TASK=mr DATA=/data/mr allennlp compare experiments/whole.jsonnet --output-dir output/whole/mr
//
// TASK is mr or ewt. Run in the project's folder. The encoders have about 168 thousand weights in classification
// (`released` 148, because its hidden size is that of the word vectors) and 445 thousand in tagging.
local tasks = import 'tasks.libsonnet';
local task = std.extVar('TASK');
local prefix = { mr: 'mr', ewt: 'pos' }[task];
local is_tagger = task == 'ewt';

local words = if is_tagger then 100 else 64;
local input = if is_tagger then words + 50 else words;  // with characters
local place = if is_tagger then 'model.encoder' else 'model.seq2vec_encoder';

// The config training_config/PREFIX_NAME.jsonnet with the encoder's hidden size for classification or for tagging.
local system(name, classifier, tagger=classifier, changes={}, path='') = {
  local settings = { input_size: input, hidden_size: if is_tagger then tagger else classifier } + changes,
  config: 'training_config/%s_%s.jsonnet' % [prefix, name],
  overrides: {
    [place + path + '.' + key]: settings[key]
    for key in std.objectFields(settings)
  } + (if is_tagger then {} else { 'model.seq2seq_encoder.input_dim': words }),
};
local fastnlp = { transition: 'fastnlp' };
local released = { transition: 'released' };
local attention(name, size, directions, changes={}) =
  system(name, size, changes=changes, path='.seq2seq_encoder') {
    overrides+: { [place + '.seq2vec_encoder.input_size']: directions * size },
  };

// The paper has no tagger with a CNN. `released` uses the words as its initial states, so that it needs
// a linear map to its hidden size.
local of_taggers = {
  cnn: system('slstm', 237) {
    overrides: { [place]: { type: 'stacked_cnn', input_size: input, hidden_size: 237, num_layers: 3 } },
  },
  released: system('slstm', 109) {
    local linear = { input_dim: input, num_layers: 1, hidden_dims: 109, activations: 'linear' },
    overrides: {
      [place]: {
        type: 'compose',
        encoders: [
          { type: 'feedforward', feedforward: linear },
          { type: 'slstm', input_size: 109, hidden_size: 109, num_steps: 7 } + released,
        ],
      },
    },
  },
};
local of_classifiers = {
  cnn: system('cnn', 152, changes={ num_layers: 3 }),
  released: system('slstm', 64, changes=released),
  slstm_attention: attention('slstm_attention', 63, 1),
  fastnlp_attention: attention('slstm_attention', 68, 1, fastnlp),
  bilstm_attention: attention('bilstm_attention', 100, 2),
};

{
  seeds: [13, 14, 15],
  baseline: 'bilstm',
  systems: {
    slstm: system('slstm', 64, 100),
    fastnlp: system('slstm', 69, 112, fastnlp),
    softmax: system('slstm', 64, 100, { transition: { gate_normalization: 'softmax' } }),
    bilstm: system('bilstm', 116, 172),
    bilstm_2_layers: system('bilstm', 65, 100, { num_layers: 2 }),
    coupled_lstm: system('coupled_lstm', 116, 172),
  } + (if is_tagger then of_taggers else of_classifiers),
  overrides: tasks.paths(task, std.extVar('DATA')) + {
    'model.text_field_embedder.token_embedders.tokens.embedding_dim': words,
  },
}
