// The training of an S-LSTM and a BiLSTM, with one thing changed at a time: the learning rate, the number of epochs,
// and the positions of dropout. For pairs and tags, on which the S-LSTM is behind:
//
//   TASK=ewt DATA=/data/pos allennlp compare experiments/training.jsonnet --output-dir output/training/ewt --seeds 13
local tasks = import 'tasks.libsonnet';
local task = std.extVar('TASK');
local is_tagger = tasks.is_tagger(task);

local encoders = { slstm: tasks.slstm(), bilstm: tasks.bilstm(task, { hidden_size: 116 }) };

local trainer = {
  '': {},
  _lr_3e4: { 'trainer.optimizer.lr': 3e-4 },
  _lr_3e3: { 'trainer.optimizer.lr': 3e-3 },
  _longer: { 'trainer.num_epochs': 24, 'trainer.patience': 4 },
};

// Dropout only on the words, only after the encoder, or nowhere. The tagger has one rate for both positions. Therefore
// its dropout is a part of the encoder here.
local places = { _words: [1, 0], _behind: [0, 1], _no_dropout: [0, 0] };
local dropout(rate) = { type: 'dropout', dropout: rate };
local placed(encoder, place) = if is_tagger then {
  type: 'compose',
  encoders: [dropout(0.5 * place[0]), encoder, dropout(0.5 * place[1])],
} else encoder;
local rates(place) = if is_tagger then { 'model.dropout': 0 } else {
  'model.dropout': 0.1 * place[0],
  'model.feedforward.dropout': 0.2 * place[1],
};

local changed = {
  [name + change]: { encoder: encoders[name], changes: trainer[change] }
  for name in std.objectFields(encoders)
  for change in std.objectFields(trainer)
} + {
  [name + change]: { encoder: placed(encoders[name], places[change]), changes: rates(places[change]) }
  for name in std.objectFields(encoders)
  for change in std.objectFields(places)
};

tasks.comparison(task, std.extVar('DATA'), { [name]: changed[name].encoder for name in std.objectFields(changed) }) {
  systems: std.mapWithKey(
    function(name, system) system { overrides+: changed[name].changes }, super.systems
  ),
}
