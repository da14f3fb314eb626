#!/usr/bin/env bash
# Prints the tests of the files that differ from the branch `main` (on `main`: from the last commit), untracked files
# included. For a module these are all tests of its folder.
set -euo pipefail

base=HEAD
git rev-parse --quiet --verify main >/dev/null && base=$(git merge-base main HEAD)

tests_of() {
  local part=${1#slstm_allennlp/}
  case $1 in
    tests/conftest.py | tests/*/conftest.py | tests/*/common.py | tests/properties.py) echo tests ;;
    tests/*/*) part=${1#tests/} && echo "tests/${part%%/*}" ;;
    tests/*_test.py) echo "$1" ;;
    slstm_allennlp/vectors/*) echo tests/vectors tests/bert_test.py tests/recipes_test.py tests/estimators_test.py ;;
    slstm_allennlp/metrics/*) echo tests/metrics tests/translation_test.py ;;
    slstm_allennlp/common/*)
      # A helper without a test file is tested where it is used.
      if [ -e "tests/${part%.py}_test.py" ]; then echo "tests/${part%.py}_test.py"; else echo tests; fi
      ;;
    slstm_allennlp/ops/*) echo tests/ops tests/modules ;;
    slstm_allennlp/*/*) echo "tests/${part%%/*}" ;;
    slstm_allennlp/*.py) echo tests ;;
    slstm_cli/*) echo tests/console tests/documents_test.py ;;
    training_config/*) echo tests/console/bundled_test.py tests/commands_test.py tests/paper_tables_test.py ;;
    fixtures/*) echo tests/dataset_readers ;;
    experiments/*) echo tests/experiments tests/translation_test.py tests/console/bundled_test.py tests/documents_test.py ;;
    benchmarks/measured/*) echo tests/documents_test.py ;;
    tools/changed_tests.sh) echo tests/changed_tests_test.py ;;
    Makefile) echo tests/makefile_test.py ;;
    *.md | tools/*) echo tests/*_test.py tests/experiments/results_test.py | xargs -n 1 | grep -E 'documents|implementations|reference|tables|makefile|results' ;;
  esac
}

{
  git diff --name-only "$base"
  git ls-files --others --exclude-standard
} | while read -r path; do tests_of "$path"; done | xargs -n 1 | sort -u | while read -r test; do
  # Deleted tests are left out.
  if [ -e "$test" ]; then echo "$test"; fi
done
