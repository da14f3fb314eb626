// To see this config whole: slstm config entities_slstm
// Tag named entities with the recipe of entities_bilstm, but an S-LSTM instead of the BiLSTM.
local recipe = import 'tags.libsonnet';

recipe.entities({ type: 'slstm', hidden_size: 150, num_steps: 5, transition: 'balanced' })
