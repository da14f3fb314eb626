// Tag named entities with PyTorch's BiLSTM over pretrained vectors and a frozen BERT, to compare with
// entities_slstm.
local recipe = import 'tags.libsonnet';

recipe.entities({ type: 'lstm', hidden_size: 150, bidirectional: true })
