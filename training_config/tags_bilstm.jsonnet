// The recipe of tags_slstm.jsonnet with PyTorch's BiLSTM, to compare with.
local recipe = import 'tags.libsonnet';

recipe.tags({ type: 'lstm', hidden_size: 150, bidirectional: true })
