#!/usr/bin/env bash
# Prints the path of the first Python of the given versions (such as 3.11 3.12) that starts and can create virtual
# environments. Looks on the PATH and in pyenv, uv, asdf and conda. If there is none, prints nothing and exits with 1.
set -u

works() {
  "$1" -c "import sys, venv, ensurepip; sys.exit('%d.%d' % sys.version_info[:2] != '$version')" \
    >/dev/null 2>&1
}

for version in "$@"; do
  # A python3.10 on the PATH may be a version manager's shim that does not start.
  candidates=("python$version" python3 python)
  if command -v pyenv >/dev/null 2>&1; then
    while read -r installed; do
      candidates+=("$(pyenv root)/versions/$installed/bin/python")
    done < <(pyenv versions --bare 2>/dev/null | grep -E "^${version//./\\.}(\.|$)")
  fi
  if command -v uv >/dev/null 2>&1; then
    candidates+=("$(uv python find --no-python-downloads "$version" 2>/dev/null)")
  fi
  if command -v asdf >/dev/null 2>&1; then
    while read -r installed; do
      candidates+=("$(asdf where python "$installed" 2>/dev/null)/bin/python")
    done < <(asdf list python 2>/dev/null | tr -d ' *' | grep -E "^${version//./\\.}(\.|$)")
  fi
  if command -v conda >/dev/null 2>&1; then
    while read -r environment; do
      candidates+=("$environment/bin/python")
    done < <(conda env list 2>/dev/null | grep -v '^#' | awk 'NF {print $NF}')
  fi

  for candidate in "${candidates[@]}"; do
    [ -n "$candidate" ] || continue
    if works "$candidate"; then
      "$candidate" -c "import sys; print(sys.executable)"
      exit 0
    fi
  done
done
exit 1
