#!/bin/sh
# Run one system of the translation table in docs/results_cas_lstm.md: train, translate the test set with a beam of 10
# and print BLEU.
#
#   experiments/translate.sh SYSTEM SEED DATA OUT
#
# SYSTEM is cas_lstm or lstm. The corpus is DATA.train.tsv, DATA.val.tsv and DATA.test.tsv.
set -e
system=$1 seed=$2 data=$3 out=$4
mkdir -p "$out"
run=$out/$system-$seed

# For a CPU: a smaller model, smaller batches and fewer epochs than in the config, and a beam of 1 in training.
cat > "$run.jsonnet" <<END
(import '$PWD/training_config/translation_$system.jsonnet') + {
  size:: 128,
  dropout:: 0.1,
  vocabulary: { min_count: { source_tokens: 3, target_tokens: 3 } },
  train_data_path: '$data.train.tsv',
  validation_data_path: '$data.val.tsv',
  random_seed: $seed,
  numpy_seed: $seed,
  pytorch_seed: $seed,
  model+: { decoder+: { beam_search: { beam_size: 1, max_steps: 50 } } },
  data_loader+: { batch_sampler+: { batch_size: 20 } },
  trainer+: {
    optimizer+: { lr: 2e-3 },
    learning_rate_scheduler: { type: 'linear_with_warmup', warmup_steps: 100 },
    num_epochs: 3,
  },
}
END
allennlp train "$run.jsonnet" -s "$run" --force --file-friendly-logging --include-package slstm_allennlp
allennlp predict "$run/model.tar.gz" "$data.test.tsv" --use-dataset-reader --batch-size 50 --silent \
  --output-file "$run/test.jsonl" --overrides '{"model.decoder.beam_search.beam_size": 10}' \
  --include-package slstm_allennlp
python experiments/bleu.py "$run/test.jsonl" "$data.test.tsv" | tee "$run/bleu.txt"
