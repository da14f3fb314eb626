// evidence.jsonnet with three times the learning rate, 3e-3:
//
//   TASK=sick DATA=/data/nli allennlp compare experiments/faster.jsonnet --output-dir output/faster/sick
local evidence = import 'evidence.jsonnet';

evidence { overrides+: { 'trainer.optimizer'+: { lr: 3e-3 } } }
