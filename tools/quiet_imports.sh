#!/usr/bin/env bash
# Suppresses warnings of AllenNLP's imports in a virtual environment of this project: tools/quiet_imports.sh VENV
# 1. allennlp-models downloads NLTK's data whenever it is imported, which prints errors without a network. It does so if
#    NLTK finds no tokenizers/punkt, so an empty one is created where NLTK looks for it. Only the NarrativeQA script
#    needs this data; it still reports which data is missing and how to get it.
# 2. `allennlp` imports torchvision, pkg_resources and Google's storage client, which warn, before it loads any plugin.
#    Python executes .pth files when it starts: one filters these warnings, as slstm_allennlp/console/quiet.py does
#    for `slstm`.
set -eu
mkdir -p "$1/nltk_data/tokenizers/punkt"
packages=$("$1/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
cat > "$packages/slstm_quiet_imports.pth" <<'EOF'
import warnings; warnings.filterwarnings("ignore", message="Failed to load image Python extension"); warnings.filterwarnings("ignore", message="pkg_resources is deprecated as an API"); warnings.filterwarnings("ignore", message=r"You are using a .*Python version .*google\.")
EOF
