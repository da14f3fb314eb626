#!/usr/bin/env bash
# Keeps allennlp-models from fetching NLTK's data whenever it is imported, which prints errors where
# there is no network: tools/quiet_nltk.sh VENV
# It fetches when NLTK finds no tokenizers/punkt, so an empty one is put where NLTK looks in a virtual
# environment. Only its NarrativeQA script reads such data; that still says which piece is missing and
# how to get it.
set -eu
mkdir -p "$1/nltk_data/tokenizers/punkt"
