#!/bin/sh
# Run a comparison on every corpus of RESULTS.md, or on the given ones. This takes hours on a CPU; the same command
# resumes an interrupted run.
#
#   experiments/compare_all.sh COMPARISON DATA OUT [CORPUS ...] [-- OPTION_OF_COMPARE ...]
#
# COMPARISON is evidence, faster, pretrained, findings, presets, scale, choices or training. DATA has the folders mr,
# mtl, sst, pos, ner and nli, or those of the given corpora. To take hours and not days, most train sets are reduced
# (to every second pair, every third sentence, ...). Dev and test sets are whole. In two review sets, only the first
# 1,400 reviews are reduced, because the next 200 are their dev set.
set -eu
comparison=$1 data=$2 out=$3
shift 3
corpora=
while [ $# -gt 0 ]; do
  if [ "$1" = -- ]; then shift; break; fi
  corpora="$corpora $1"
  shift
done

# sample FOLDER TRAIN AWK...: copy a folder to OUT/data/CORPUS, and reduce its train file with awk.
sample() {
  from=$data/$1 train=$2
  folder=$out/data/$corpus
  mkdir -p "$folder"
  cp "$from"/* "$folder"
  shift 2
  awk "$@" "$from/$train" > "$folder/$train"
}
every_line='NR % n == 0'
every_review='NR > 1400 || NR % n == 0'
every_sentence='/^[ \t\r]*$/ { if (i++ % n == 0) print ""; next } i % n == 0'  # separated by empty lines

for corpus in ${corpora:-MR sick ewt sst2 mr wnut17 apparel kitchen_housewares books}; do
  case $corpus in
    sst2) sample sst train.txt -v n=3 "$every_line" ;;
    sick) sample nli sick.train.jsonl -v n=2 "$every_line" ;;
    wnut17) sample ner wnut17.train.conll -v n=2 "$every_sentence" ;;
    ewt) sample pos en_ewt-ud-train.conllu -v n=5 "$every_sentence" ;;
    kitchen_housewares|books) sample mtl "$corpus.task.train" -v n=2 "$every_review" ;;
    mr) folder=$data/mr ;;
    *) folder=$data/mtl ;;
  esac
  TASK=$corpus DATA=$folder allennlp compare "experiments/$comparison.jsonnet" --output-dir "$out/$comparison/$corpus" "$@" || status=1
done
exit ${status:-0}
