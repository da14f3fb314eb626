#!/usr/bin/env bash
# Trains the part-of-speech taggers of RESULTS.md on the English Web Treebank and evaluates them on its
# test set: experiments/pos_ewt.sh DATA OUT [SYSTEM [SEED ...]]
#   DATA    the folder that holds en_ewt-ud-{train,dev,test}.conllu
#   OUT     where each run gets a folder SYSTEM-SEED; one that holds metrics.json is not run again
#   SYSTEM  slstm, bilstm or fastnlp, all three when left out; or softmax, the paper's S-LSTM without
#           the sigmoid before the softmax
#   SEED    13, 14 and 15 when left out
# In the environment: EPOCHS (default 8), and CHARACTERS (default token_characters), the vocabulary by
# whose size characters are embedded; RESULTS.md says why `tokens` was used once.
set -euo pipefail
data=$1 out=$2 systems=${3:-slstm bilstm fastnlp}
seeds=("${@:4}")
[ ${#seeds[@]} -gt 0 ] || seeds=(13 14 15)

for seed in "${seeds[@]}"; do
  for system in $systems; do
    # Sizes at which the three encoders hold about the same number of parameters.
    case $system in
      slstm) config=pos_slstm encoder='"model.encoder.hidden_size": 100' ;;
      bilstm) config=pos_bilstm encoder='"model.encoder.hidden_size": 172' ;;
      fastnlp) config=pos_slstm
        encoder='"model.encoder.hidden_size": 112, "model.encoder.transition": "fastnlp"' ;;
      softmax) config=pos_slstm
        encoder='"model.encoder.hidden_size": 100,
          "model.encoder.transition": {"gate_normalization": "softmax"}' ;;
      *) echo "$0: unknown system $system, expected slstm, bilstm, fastnlp or softmax" >&2; exit 2 ;;
    esac
    run="$out/$system-$seed"
    [ ! -e "$run/metrics.json" ] || continue
    allennlp train "training_config/$config.jsonnet" --include-package slstm_allennlp \
      --force --serialization-dir "$run" --file-friendly-logging --overrides "{
        \"train_data_path\": \"$data/en_ewt-ud-train.conllu\",
        \"validation_data_path\": \"$data/en_ewt-ud-dev.conllu\",
        \"test_data_path\": \"$data/en_ewt-ud-test.conllu\",
        \"model.text_field_embedder.token_embedders.tokens.embedding_dim\": 100,
        \"model.encoder.input_size\": 150, $encoder,
        \"trainer.num_epochs\": ${EPOCHS:-8},
        \"model.text_field_embedder.token_embedders.characters.embedding.vocab_namespace\":
          \"${CHARACTERS:-token_characters}\",
        \"random_seed\": $seed, \"numpy_seed\": $seed, \"pytorch_seed\": $seed}"
  done
done
