// The corpora of RESULTS.md, small enough for a CPU. `comparison(name, data, encoders)` compares encoders on the corpus
// `name`, whose files are in `data`, with the same training budget and optimizer. `encoders` has the configs of
// Seq2VecEncoders (of Seq2SeqEncoders for taggers) by name, without input sizes.
local indexer = { type: 'single_id', lowercase_tokens: true };  // as in the configs
local embedders = 'model.text_field_embedder.token_embedders';
local words = embedders + '.tokens';
local perceptron = 'model.feedforward.hidden_dims';
local taggers = ['ewt', 'wnut17'];

// The files of each corpus, for training, dev and test. The review sets and MR are split by their readers.
local split = ['#train', '#dev', '#test'];
local files = {
  sst2: ['/train.txt', '/dev.txt', '/test.txt'],
  sst5: self.sst2,
  sick: ['/sick.train.jsonl', '/sick.dev.jsonl', '/sick.test.jsonl'],
  mrpc: ['/mrpc.train.tsv', '/mrpc.dev.tsv', '/mrpc.test.tsv'],
  ewt: ['/en_ewt-ud-train.conllu', '/en_ewt-ud-dev.conllu', '/en_ewt-ud-test.conllu'],
  wnut17: ['/wnut17.train.conll', '/wnut17.dev.conll', '/wnut17.test.conll'],
};

local tasks = {
  mr: {
    config: 'training_config/mr_slstm.jsonnet',
    changes: {
      'dataset_reader.max_instances': 2000,  // of 8,529, in random order
      validation_dataset_reader: { type: 'movie_review', token_indexers: { tokens: indexer } },
    },
  },
  sst2: {
    config: 'training_config/sst2_slstm.jsonnet',
    changes: { 'dataset_reader.use_subtrees': false, [perceptron]: 64 },
  },
  sick: {
    config: 'training_config/snli_slstm.jsonnet',
    changes: { [perceptron]: 128 },
  },
  ewt: {
    config: 'training_config/pos_slstm.jsonnet',
    changes: {},
  },
  wnut17: {
    config: 'training_config/ner_slstm.jsonnet',
    changes: {
      'dataset_reader.coding_scheme': 'IOB2',
      // Most encoders find no entity in their first epochs, so that early stopping would end them.
      'trainer.num_epochs': 16,
      'trainer.patience': null,
    },
  },
};
local review(dataset) = {
  config: 'training_config/mtl_slstm.jsonnet',
  changes: { 'dataset_reader.dataset': dataset },
};

{
  // Random word vectors of 64 dimensions. In taggers, 16 of them come from the word's characters.
  words(is_tagger):: if is_tagger then {
    [words + '.embedding_dim']: 48,
    [embedders + '.characters.encoder.num_filters']: 16,
  } else { [words + '.embedding_dim']: 64 },

  is_tagger(name): std.member(taggers, name),
  // The paper with SST and SICK (CAS-LSTM) takes the maximum over a BiLSTM's words, the S-LSTM paper the last states.
  takes_maximum(name): std.member(['sst2', 'sick'], name),

  slstm(changes={}): { type: 'slstm', hidden_size: 64, num_steps: 9 } + changes,
  both_ways(changes): { type: 'lstm', bidirectional: true } + changes,
  attention(sequence): {
    type: 'compose',
    seq2seq_encoder: sequence,
    seq2vec_encoder: { type: 'additive_attention' },
  },
  max_pooling(sequence): {
    type: 'compose',
    seq2seq_encoder: sequence,
    seq2vec_encoder: { type: 'max_pooling' },
  },
  // PyTorch's BiLSTM.
  bilstm(name, changes):
    local sequence = self.both_ways(changes);
    if self.takes_maximum(name) then self.max_pooling(sequence) else sequence,

  // The overrides that read the corpus `name` from `data`.
  paths(name, data):
    local parts = std.get(files, name, split);
    {
      train_data_path: data + parts[0],
      validation_data_path: data + parts[1],
      test_data_path: data + parts[2],
    },

  comparison(name, data, encoders): {
    local task = std.get(tasks, name, review(name)),
    local is_tagger = $.is_tagger(name),
    local place = if is_tagger then 'model.encoder' else 'model.seq2vec_encoder',
    seeds: [13, 14, 15, 16, 17],
    baseline: 'slstm',
    systems: {
      [system]: { config: task.config, overrides: { [place]: encoders[system] } }
      for system in std.objectFields(encoders)
    },
    overrides: $.paths(name, data) + {
      'trainer.num_epochs': 8,
      'trainer.patience': 2,
      'trainer.optimizer': { type: 'adam', lr: 1e-3 },
      'trainer.learning_rate_scheduler': { type: 'exponential', gamma: 0.97 },
      'trainer.grad_norm': 3,
      'data_loader.batch_sampler.batch_size': 10,
    } + $.words(is_tagger) + task.changes,
  },
}
