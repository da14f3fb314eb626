// The recipe of entities_slstm.jsonnet with PyTorch's BiLSTM, to compare with.
local recipe = import 'tags.libsonnet';

recipe.entities({ type: 'lstm', hidden_size: 150, bidirectional: true })
