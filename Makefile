# `make demo` does the main job on real parts, `make test` proves it. `make help` lists the rest.

PYTHON ?= python3
PYTEST_FLAGS ?= -n 2
VENV := .venv
BIN := $(VENV)/bin
LAB := $(PYTHON) -m lab
READY := $(VENV)/.ready

.DEFAULT_GOAL := help
.PHONY: help setup demo demo-down test lint lab lab-down bench readme docs pictures lock
MAKEFLAGS += --no-print-directory
.SILENT:

help: ## this list
	sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1	\2/p' $(MAKEFILE_LIST) | expand -t 20

setup: $(READY) ## a virtual environment with everything, in .venv

$(READY): requirements/dev.txt pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
	  { echo "mabuild needs Python 3.11 or newer; name it with: make $(MAKECMDGOALS) PYTHON=python3.12" >&2; exit 2; }
	echo "setup: a virtual environment with everything in $(VENV); the first time takes about a minute"
	$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || $(LAB) install python3-venv
	$(BIN)/python -c 'import pip' 2>/dev/null || $(PYTHON) -m venv --clear $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements/dev.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	touch $@

lab: ## engine, registry, emulator, builder node and base images
	$(LAB) up

lab-down: ## stop what `make lab` started
	$(LAB) down

demo: setup lab ## the main job on the example fleet
	$(LAB) run -- $(BIN)/python -m lab.demo

demo-down: lab-down ## stop what `make demo` started

lint: setup ## ruff, mypy, import-linter, actionlint, zizmor
	$(BIN)/ruff check
	$(BIN)/ruff format --check --quiet
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/actionlint .github/workflows/*.yml
	$(BIN)/zizmor --quiet --offline --no-progress .github

# The lab is stopped again only if it was this that started it; pytest's summary stays the last line.
test: setup ## lint, then all tests on real parts
	was_up=$$($(LAB) status >/dev/null 2>&1 && echo yes || echo no); \
	trap 'test $$was_up = yes || $(LAB) down >/dev/null 2>&1' EXIT; \
	trap 'exit 130' INT TERM; \
	$(LAB) up && $(MAKE) lint && $(LAB) run -- $(BIN)/pytest $(PYTEST_FLAGS)

bench: setup lab ## all measurements, beside real peers
	$(LAB) run -- $(BIN)/python -m benchmarks

docs: setup ## the pages of docs/ that are made of the code
	$(BIN)/python -m docs.generate

readme: setup lab ## the outputs in the README, from real runs
	$(LAB) run -- $(BIN)/python -m tests.real.readme

pictures: setup lab ## the pictures of the README, from real runs
	$(LAB) run -- $(BIN)/python docs/pictures.py

lock: setup ## requirements/dev.txt anew: names, versions and hashes, no address
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-header \
	  --python-version 3.11 --group dev pyproject.toml --output-file requirements/dev.txt
