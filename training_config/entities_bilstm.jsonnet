// To see this config whole: slstm config entities_bilstm
// Tag named entities with PyTorch's BiLSTM over pretrained vectors and a frozen BERT: the recipe for few
// labelled sentences.
local recipe = import 'tags.libsonnet';

recipe.entities({ type: 'padded_lstm', hidden_size: 150, bidirectional: true })
