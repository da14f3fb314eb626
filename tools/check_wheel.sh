#!/usr/bin/env bash
# Installs a wheel of this project, with what it requires and nothing else, into a new environment, and uses the torch
# modules there, outside of the clone: tools/check_wheel.sh PYTHON, a Python with setuptools.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

rm -rf "$root/build"  # what an earlier build left there would be in the wheel
"$1" -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir "$folder" "$root"
rm -rf "$root/build" "$root"/*.egg-info  # a stale one would hide the installed package's
"$1" -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --constraint "$root/requirements.txt" "$folder"/*.whl
cd "$folder"
venv/bin/python -W error::DeprecationWarning - <<'EOF'
import importlib.util
import sys
import time

import torch

assert importlib.util.find_spec("allennlp") is None, "the environment has AllenNLP, expected none"
start = time.perf_counter()
from slstm_allennlp.modules import SentenceStateLSTM

seconds = time.perf_counter() - start
assert seconds < 1, f"the import took {seconds:.1f} s on top of torch, expected less than 1"
encoder = SentenceStateLSTM(input_size=10, hidden_size=30, num_steps=3)
words, sentence = encoder(torch.randn(2, 7, 10), torch.ones(2, 7, dtype=torch.bool))
sentence.sum().backward()
assert words.shape == (2, 7, 30) and sentence.shape == (2, 30)
assert all(torch.isfinite(weight.grad).all() for weight in encoder.parameters() if weight.grad is not None)
print(f"The wheel works with torch and ninja alone; the import takes {1000 * seconds:.0f} ms on top of torch.")
EOF
# The configs and samples are in the wheel.
"$folder/venv/bin/python" - <<'EOF'
from importlib.util import find_spec
from pathlib import Path

files = Path(find_spec("slstm_allennlp").submodule_search_locations[0], "bundled_files")
assert (files / "training_config" / "pos_slstm.jsonnet").is_file(), f"no config in {files}"
assert (files / "fixtures" / "pos" / "train.conllu").is_file(), f"no sample corpus in {files}"
EOF
