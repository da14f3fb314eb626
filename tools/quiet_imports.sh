#!/usr/bin/env bash
# Keeps AllenNLP's imports quiet in a virtual environment of this project: tools/quiet_imports.sh VENV
# 1. allennlp-models fetches NLTK's data whenever it is imported, which prints errors where there is no network. It
#    fetches when NLTK finds no tokenizers/punkt, so an empty one is put where NLTK looks in a virtual environment.
#    Only its NarrativeQA script reads such data; that still says which piece is missing and how to get it.
# 2. `allennlp` imports torchvision, pkg_resources and Google's storage client, which warn, before it loads any plugin.
#    A .pth file is read when Python starts: it silences these warnings, as slstm_allennlp/common/noise.py does for `slstm`.
set -eu
mkdir -p "$1/nltk_data/tokenizers/punkt"
packages=$("$1/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
cat > "$packages/slstm_quiet_imports.pth" <<'EOF'
import warnings; warnings.filterwarnings("ignore", message="Failed to load image Python extension"); warnings.filterwarnings("ignore", message="pkg_resources is deprecated as an API"); warnings.filterwarnings("ignore", message=r"You are using a .*Python version .*google\.")
EOF
