// The corpora of RESULTS.md, at a size for a CPU: a comparison of encoders over words of 64 numbers in the config
// of the corpus `name`, whose files are in `data`. `encoders` are, by name, `vector(encoder, size)` for a
// Seq2VecEncoder or, for taggers, a Seq2SeqEncoder. Budget and optimizer are the same for all of a corpus.
local words = 64;
local indexer = { type: 'single_id', lowercase_tokens: true };  // as the configs have it
local tokens = 'model.text_field_embedder.token_embedders.tokens.embedding_dim';

local classifier(config, changes) = {
  config: config,
  overrides(encoder): {
    'model.seq2vec_encoder': encoder.encoder,
    'model.seq2seq_encoder.input_dim': words,
    [tokens]: words,
  },
  parts: ['#train', '#dev', '#test'],
  changes: changes,
};
local review(dataset) = classifier(
  'training_config/mtl_slstm.jsonnet', { 'dataset_reader.dataset': dataset }
);
local tagger(config, parts, changes={}) = {
  local characters = 16,
  config: config,
  overrides(encoder): {
    'model.encoder': encoder.encoder,
    [tokens]: words - characters,
    'model.text_field_embedder.token_embedders.characters.encoder.num_filters': characters,
  },
  parts: parts,
  changes: changes,
};

local tasks = {
  mr: classifier('training_config/mr_slstm.jsonnet', {
    'dataset_reader.max_instances': 2000,  // of 8,529, in the random order of the split
    validation_dataset_reader: { type: 'movie_review', token_indexers: { tokens: indexer } },
  }),
  apparel: review('apparel'),
  books: review('books'),
  kitchen_housewares: review('kitchen_housewares'),
  MR: review('MR'),
  sst2: {
    config: 'training_config/sst2_slstm.jsonnet',
    overrides(encoder): {
      'model.seq2vec_encoder': encoder.encoder,
      'model.seq2seq_encoder.input_dim': words,
      'model.feedforward.input_dim': encoder.size,
      'model.feedforward.hidden_dims': words,
      [tokens]: words,
    },
    parts: ['/train.txt', '/dev.txt', '/test.txt'],
    changes: { 'dataset_reader.use_subtrees': false },
  },
  sick: {
    config: 'training_config/snli_slstm.jsonnet',
    overrides(encoder): {
      'model.seq2vec_encoder': encoder.encoder,
      'model.feedforward.hidden_dims': 2 * words,
      [tokens]: words,
    },
    parts: ['/sick.train.jsonl', '/sick.dev.jsonl', '/sick.test.jsonl'],
    changes: {},
  },
  ewt: tagger(
    'training_config/pos_slstm.jsonnet',
    ['/en_ewt-ud-train.conllu', '/en_ewt-ud-dev.conllu', '/en_ewt-ud-test.conllu']
  ),
  wnut17: tagger(
    'training_config/ner_slstm.jsonnet',
    ['/wnut17.train.conll', '/wnut17.dev.conll', '/wnut17.test.conll'],
    {
      'dataset_reader.coding_scheme': 'IOB2',
      // Most encoders find no entity in their first epochs, for which patience would stop them.
      'trainer.num_epochs': 16,
      'trainer.patience': null,
    }
  ),
};

{
  words: words,
  is_tagger(name): std.objectHas(tasks[name].overrides({ encoder: {}, size: 0 }), 'model.encoder'),

  // Encoders, and the size of their vectors.
  vector(encoder, size): { encoder: encoder, size: size },
  slstm(changes={}): self.vector(
    { type: 'slstm', input_size: words, hidden_size: 64, num_steps: 9 } + changes,
    std.get(changes, 'hidden_size', 64)
  ),
  both_ways(changes): self.vector(
    { type: 'lstm', input_size: words, bidirectional: true } + changes, 2 * changes.hidden_size
  ),
  attention(sequence): self.vector({
    type: 'compose',
    seq2seq_encoder: sequence.encoder,
    seq2vec_encoder: { type: 'additive_attention', input_size: sequence.size },
  }, sequence.size),
  max_pooling(sequence): self.vector({
    type: 'compose',
    seq2seq_encoder: sequence.encoder,
    seq2vec_encoder: { type: 'max_pooling', embedding_dim: sequence.size },
  }, sequence.size),
  // The paper of SST and SICK takes the maximum over a BiLSTM's words, the other one its last states.
  takes_maximum(name): name == 'sst2' || name == 'sick',
  // PyTorch's.
  bilstm(name, changes):
    local sequence = self.both_ways(changes);
    if self.takes_maximum(name) then self.max_pooling(sequence) else sequence,

  comparison(name, data, encoders): {
    local task = tasks[name],
    seeds: [13, 14, 15, 16, 17],
    baseline: 'slstm',
    systems: {
      [system]: { config: task.config, overrides: task.overrides(encoders[system]) }
      for system in std.objectFields(encoders)
    },
    overrides: {
      train_data_path: data + task.parts[0],
      validation_data_path: data + task.parts[1],
      test_data_path: data + task.parts[2],
      'trainer.num_epochs': 8,
      'trainer.patience': 2,
      'trainer.optimizer': { type: 'adam', lr: 1e-3 },
      'trainer.learning_rate_scheduler': { type: 'exponential', gamma: 0.97 },
      'trainer.grad_norm': 3,
      'data_loader.batch_sampler.batch_size': 10,
    } + task.changes,
  },
}
