#!/usr/bin/env bash
# Installs a wheel of this project, with what it requires and nothing else, into a new environment, and uses the torch
# modules there, outside of the clone: tools/check_wheel.sh PYTHON, a Python with setuptools.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
python=$(realpath --no-symlinks "$(command -v "$1")")  # the folder changes below; a venv's link stays a link
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# A copy, because a build leaves files beside its source, which would be in the next wheel.
mkdir "$folder/source"
# Files alone: the tests, which may run beside it, write into the folders.
(cd "$root" && find . \( -name '.?*' -o -name __pycache__ -o -name build -o -name output -o -name '*.egg-info' \) -prune \
  -o -type f -print0) |
  tar -C "$root" --null --files-from=- --ignore-failed-read -c | tar -C "$folder/source" -x
"$python" -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir "$folder" "$folder/source"
"$python" -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --constraint "$root/requirements.txt" "$folder"/*.whl
cd "$folder"
venv/bin/python -W error::DeprecationWarning - <<'EOF'
import importlib.util
import sys
import time

import torch

assert importlib.util.find_spec("allennlp") is None, "the environment has AllenNLP, expected none"
start = time.process_time()  # beside other work
from slstm_allennlp.modules import SentenceStateLSTM

seconds = time.process_time() - start
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

# With all extras, beside AllenNLP: PYTHON's packages without its own copy of this one, which is the clone.
"$python" -m venv "$folder/allennlp"
installed="$folder/allennlp/bin/python"
purelib='import sysconfig; print(sysconfig.get_path("purelib"))'
"$python" -c "$purelib" >"$("$installed" -c "$purelib")/others.pth"
"$installed" -m pip install --quiet --no-deps --force-reinstall "$folder"/*.whl
unset PYTHONPATH
mkdir "$folder/elsewhere"
cd "$folder/elsewhere"
"$installed" - <<'EOP'
from importlib.metadata import requires, version
from pathlib import Path

from packaging.requirements import Requirement

import slstm_allennlp
from slstm_allennlp import TextClassifier

extras = [part for part in map(Requirement, requires("slstm-allennlp")) if 'extra == "all"' in str(part.marker)]
assert len(extras) > 5 and all(part.specifier.contains(version(part.name)) for part in extras), extras

assert "allennlp/lib" in slstm_allennlp.__file__, f"imported {slstm_allennlp.__file__}, expected the wheel"
small = {"model.text_field_embedder.token_embedders.tokens.embedding_dim": 10}
texts, labels = ["It broke.", "Warm and light."] * 20, ["negative", "positive"] * 20
model = TextClassifier("mr_slstm", small, epochs=1, verbose=0).fit(texts, labels)
model.save("saved")
assert TextClassifier.load("saved", verbose=0).predict(texts[:1])[0] in labels
assert [path.name for path in Path().iterdir()] == ["saved"]
EOP
slstm="$folder/allennlp/bin/slstm"
"$slstm" config | grep "^  mr_slstm " >/dev/null
"$slstm" train mr_slstm -s trained -o '{"model.seq2vec_encoder.hidden_size": 10, "trainer.num_epochs": 1}' >/dev/null
echo "It broke." | "$slstm" predict trained/model.tar.gz - | grep '"label"' >/dev/null
echo "The wheel works with AllenNLP and all extras: slstm config, train and predict, and the estimators."
