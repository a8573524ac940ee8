# Everything a stranger or CI does with this repository. `make` alone lists it.
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PY := $(BIN)/python
PIP := $(PY) -m pip install -qq --no-input --disable-pip-version-check
RUN_READY := $(VENV)/.ready-to-run
TEST_READY := $(VENV)/.ready-to-test
BENCH_READY := .venv-bench/.ready
BENCH_MEMORY_READY := .venv-bench-memory/.ready

# Two workers suit two cores; tests marked `alone` measure something and run by themselves first.
WORKERS ?= 2
TESTS ?= node/tests custodian/tests
# pytest ends with 5 when a selection holds no test.
NONE_IS_FINE := || { code=$$?; [ $$code -eq 5 ] || exit $$code; }

HOME_DIR ?= home
NAME ?= Home

.PHONY: help setup demo serve test check bench bench-memory drill drill-mutants lock clean

help: ## List what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

setup: $(TEST_READY) ## Make .venv with everything to run, check and test

demo: $(RUN_READY) ## Watch two agents talk, remember, and survive a crash
	@$(BIN)/csb demo

serve: $(RUN_READY) ## Run a node in ./home (HOME_DIR=…, NAME=…)
	@[ -e "$(HOME_DIR)/identity.json" ] || $(BIN)/csb init --home "$(HOME_DIR)" --name "$(NAME)"
	@exec $(BIN)/csb serve --home "$(HOME_DIR)"

test: $(TEST_READY) ## Run the tests
	@$(PY) -m pytest -m "alone and not docs" $(TESTS) $(NONE_IS_FINE)
	@$(PY) -m pytest -n $(WORKERS) --dist loadfile -m "not alone and not docs" $(TESTS)

check: $(TEST_READY) ## Format, lint, types, import contracts, sizes, Dockerfile, own memory, documents
	@echo "format";    $(BIN)/ruff format --quiet --check . || { $(BIN)/ruff format --check .; exit 1; }
	@echo "lint";      $(BIN)/ruff check --quiet .
	@echo "types";     $(BIN)/mypy --no-error-summary
	@echo "types, 3.10"; $(BIN)/mypy --no-error-summary --python-version 3.10 custodian/src
	@echo "contracts"; $(BIN)/lint-imports --no-logo > $(VENV)/contracts.txt 2>&1 || { cat $(VENV)/contracts.txt; exit 1; }
	@echo "sizes";     $(PY) tools/check_sizes.py
	@echo "container"; $(BIN)/hadolint deploy/Dockerfile
	@echo "memory";    $(BIN)/memory-custodian check > $(VENV)/memory.txt 2>&1 || { cat $(VENV)/memory.txt; exit 1; }
	@echo "documents"; $(PY) -m pytest -q -m docs $(TESTS) $(NONE_IS_FINE)

bench: $(TEST_READY) $(BENCH_READY) $(BENCH_MEMORY_READY) ## Measure against peers, each folder of bench/ in turn (BENCH=--quick, …)
	@worst=0; for run in bench/*/run.py; do name=$$(basename "$$(dirname "$$run")"); echo "bench/$$name"; \
		$(PY) -m "bench.$$name.run" $(BENCH) || { code=$$?; [ $$code -le $$worst ] || worst=$$code; }; done; exit $$worst

bench-memory: $(TEST_READY) $(BENCH_MEMORY_READY) ## Measure the speed of memory alone (BENCH=--quick, --long, …)
	@$(PY) -m bench.memory.run $(BENCH)

drill: $(TEST_READY) ## Run the crash and load drills in their full form
	@CSB_DRILL=full $(PY) -m pytest --timeout 0 node/tests/drills custodian/tests/drills

drill-mutants: $(TEST_READY) ## Remove rules one by one and see a test fail
	@$(PY) node/tests/drills/mutants.py

lock: ## Recompile the pinned, hashed requirements (needs uv)
	@tools/lock.sh

clean: ## Remove what was made here; homes of nodes stay
	@rm -rf .venv .venv-* dist build .coverage .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
	@find . -name __pycache__ -type d -not -path './.git/*' -prune -exec rm -rf {} +

$(VENV)/pyvenv.cfg:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2> /dev/null || \
		{ echo "csbond needs Python 3.11 or newer: say which with make PYTHON=/path/to/python3.11" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 1; }

$(RUN_READY): requirements/runtime.txt requirements/build.txt node/pyproject.toml | $(VENV)/pyvenv.cfg
	@echo "Installing what a node needs into $(VENV) (about a minute)"
	@$(PIP) --require-hashes -r requirements/runtime.txt -r requirements/build.txt
	@$(PIP) --no-deps --no-build-isolation -e node
	@touch $@

$(TEST_READY): requirements/dev.txt custodian/pyproject.toml $(RUN_READY)
	@echo "Installing what checks and tests need into $(VENV)"
	@$(PIP) --require-hashes -r requirements/dev.txt
	@$(PIP) --no-deps --no-build-isolation -e custodian
	@touch $@

$(BENCH_READY): requirements/bench.txt | $(VENV)/pyvenv.cfg
	@echo "Installing the peer of the benchmarks into .venv-bench"
	@[ -e .venv-bench/pyvenv.cfg ] || $(PY) -m venv .venv-bench || { rm -rf .venv-bench; exit 1; }
	@.venv-bench/bin/python -m pip install -qq --no-input --disable-pip-version-check --require-hashes -r $<
	@touch $@

$(BENCH_MEMORY_READY): requirements/bench-memory.txt | $(VENV)/pyvenv.cfg
	@echo "Installing the stores that memory is measured against into .venv-bench-memory (some minutes)"
	@[ -e .venv-bench-memory/pyvenv.cfg ] || $(PY) -m venv .venv-bench-memory || { rm -rf .venv-bench-memory; exit 1; }
	@.venv-bench-memory/bin/python -m pip install -qq --no-input --disable-pip-version-check --require-hashes -r $<
	@touch $@
