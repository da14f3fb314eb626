// Tag words with an S-LSTM over pretrained vectors and a frozen BERT: the recipe for few labelled
// sentences.
local recipe = import 'tags.libsonnet';

recipe.tags({ type: 'slstm', hidden_size: 150, num_steps: 5, transition: 'balanced' })
