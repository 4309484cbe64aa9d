# Two commands do all the set-up: `make demo` and `make test`.

SHELL := /bin/sh

# The first interpreter that is new enough and can make virtual environments.
PYTHON ?= $(shell for python in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	"$$python" -c 'import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& { echo "$$python"; break; }; done)
VENV ?= .venv
BIN := $(VENV)/bin
PYTEST := $(BIN)/python -m pytest -n auto --dist worksteal
CONSTRAINTS ?=
PYTEST_ARGS ?=
PIP_ARGS ?= --quiet --disable-pip-version-check --no-compile

# JAX keeps what it compiles, so that test processes and later runs need not compile it again.
export JAX_COMPILATION_CACHE_DIR ?= $(abspath $(VENV))/jax-cache
export JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS ?= 0
export JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES ?= -1
# Installed without bytecode: what one process compiles on import, the many others find.
unexport PYTHONDONTWRITEBYTECODE
DEMO_PACKAGE := nnx-ppo==0.3.0

SEED ?= 1
N ?= 5000
JOBS ?= 1
PROOF_DIR ?= $(VENV)/proof

.PHONY: demo test lint types quick compatible slow thorough proof mutants venv clean

demo: $(VENV)/.demo
	@echo "== The sources of $(DEMO_PACKAGE): nothing to report"
	$(BIN)/nnx-rng check "$$($(BIN)/python -m pip show -f nnx-ppo | sed -n 's/^Location: //p')/nnx_ppo"
	@echo
	@echo "== examples/: a researcher's modules, some of them faulty"
	@$(BIN)/nnx-rng check examples; status=$$?; \
	test $$status -eq 1 || { echo "expected findings, got exit status $$status"; exit 1; }
	@echo
	@echo "== The same modules, rewritten to carry their keys (nothing is written)"
	@$(BIN)/nnx-rng fix --diff --unsafe-fixes examples; status=$$?; \
	test $$status -eq 1 || { echo "expected rewrites, got exit status $$status"; exit 1; }

test: lint types quick slow

lint: $(VENV)/.test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(VENV)/.test
	$(BIN)/mypy

# Branch coverage of the linter is measured apart: coverage's own total mixes in lines.
quick: $(VENV)/.test
	$(PYTEST) -m "not slow" --ignore=tests/nnx_ppo_ref --cov \
		--cov-report=term-missing:skip-covered --cov-report=json:$(VENV)/coverage.json $(PYTEST_ARGS)
	$(BIN)/python tests/branch_coverage.py $(VENV)/coverage.json 95
	$(PYTEST) -m "not slow" tests/nnx_ppo_ref $(PYTEST_ARGS)

# What other interpreters and versions are tested with: everything quick, without coverage.
compatible: $(VENV)/.test
	$(PYTEST) -m "not slow" $(PYTEST_ARGS)

venv: $(VENV)/.test

# Builds environments, compiles, reads whole packages; without coverage, which would double it.
slow: $(VENV)/.test
	$(PYTEST) -m "slow and not thorough" $(PYTEST_ARGS)

# All of what the others take samples of; before a release.
thorough: $(VENV)/.test
	$(PYTEST) -m thorough $(PYTEST_ARGS)

# Thousands of modules, read, run and rewritten; what is disagreed on is written to PROOF_DIR.
proof: $(VENV)/.test
	PYTHONPATH=tests $(BIN)/python -m differential --seed $(SEED) --count $(N) --out $(PROOF_DIR) \
		$(PROOF_ARGS)

# A sample of N mutants of the linter's rules and interpreter, each with the tests that reach it.
mutants: N := 800
mutants: $(VENV)/.mutants
	$(BIN)/python tests/linter_mutants.py --count $(N) --seed $(SEED) --jobs $(JOBS) --diffs

clean:
	rm -rf .venv* build mutants .coverage .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -prune -exec rm -rf {} +

$(VENV)/bin/python:
	@test -n "$(PYTHON)" || { echo "needs Python 3.11 or newer with its venv module"; exit 2; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.demo: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install $(PIP_ARGS) -e .
	$(BIN)/python -m pip install $(PIP_ARGS) --no-deps "$(DEMO_PACKAGE)"
	touch $@

$(VENV)/.test: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install $(PIP_ARGS) -e '.[test]' \
		$(if $(CONSTRAINTS),-c $(CONSTRAINTS))
	touch $@

$(VENV)/.mutants: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install $(PIP_ARGS) -e '.[mutants]'
	touch $@
