// To see this config whole: slstm config tags_bilstm
// Tag words with PyTorch's BiLSTM over pretrained vectors and a frozen BERT: the recipe for few labelled
// sentences.
local recipe = import 'tags.libsonnet';

recipe.tags({ type: 'padded_lstm', hidden_size: 150, bidirectional: true })
