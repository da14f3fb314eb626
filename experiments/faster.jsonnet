// evidence.jsonnet at three times the papers' learning rate:
//
//   TASK=sick DATA=/data/sick allennlp compare experiments/faster.jsonnet --output-dir output/faster/sick
local evidence = import 'evidence.jsonnet';

evidence { overrides+: { 'trainer.optimizer'+: { lr: 3e-3 } } }
