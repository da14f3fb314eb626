// Classify sentence pairs with an S-LSTM over pretrained vectors and a frozen BERT: the recipe for few
// labelled pairs.
local pairs = import 'pairs.libsonnet';

pairs({ type: 'slstm', hidden_size: 100, num_steps: 5, pooling: ['max', 'mean'] })
