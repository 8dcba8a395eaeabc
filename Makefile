# Everything runs in a virtual environment of its own; PYTHON picks the interpreter (3.11 to 3.14).
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet --constraint constraints.txt

.DEFAULT_GOAL := help
.PHONY: help setup certify test test-all lint bench reference certification clean

help:  ## show this help
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-10s %s\n", $$1, $$2}'

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 15) and "Python 3.11 to 3.14 is needed; set PYTHON=...")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed: $(BIN)/python pyproject.toml constraints.txt
	$(PIP) --editable .
	@touch $@

$(VENV)/installed-dev: $(VENV)/installed
	$(PIP) --editable '.[dev]'
	@touch $@

setup: $(VENV)/installed-dev  ## make the environment in .venv, development tools included

certify: $(VENV)/installed  ## install, and certify the rulebook's game for one player into reports/
	$(BIN)/ricochet certify rulebook --players 1 --out reports

test: $(VENV)/installed-dev  ## install, and run the tests
	$(BIN)/python -m pytest -n auto --dist loadfile

test-all: $(VENV)/installed-dev  ## run all tests, the long ones included; 3 if some could not run here
	$(BIN)/python -m pytest -m '' --complete

lint: $(VENV)/installed-dev  ## check style, types and the rooms
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/installed-dev  ## measure speed; the table is docs/performance.md
	$(BIN)/python tests/benchmarks/bench_evaluate.py
	$(BIN)/python tests/benchmarks/bench_solo.py
	$(BIN)/python tests/benchmarks/bench_simulation.py
	$(BIN)/python tests/benchmarks/bench_runs.py
	$(BIN)/python tests/benchmarks/bench_two_players.py
	$(BIN)/python tests/benchmarks/bench_tables.py
	$(BIN)/python tests/benchmarks/bench_two_players_exact.py
	$(BIN)/python tests/benchmarks/bench_spectrum.py
	$(BIN)/python tests/benchmarks/bench_compare.py
	$(BIN)/python tests/benchmarks/bench_report.py
	$(BIN)/python tests/benchmarks/bench_home.py
	$(BIN)/python tests/benchmarks/bench_patience.py
	$(BIN)/python tests/benchmarks/bench_pinball.py
	$(BIN)/python tests/benchmarks/bench_batch.py
	$(BIN)/python tests/benchmarks/bench_report.py

reference: $(VENV)/installed  ## make the committed reference certificates again
	$(BIN)/ricochet certify rulebook --players 1 --out reports/reference --format json --format md
	$(BIN)/ricochet certify home_capped --players 1 --out reports/reference --format json

certification: $(VENV)/installed  ## make the committed certification of the full table (some ten minutes; goes on where it was)
	$(BIN)/ricochet batch certification --workers 2 --resume

clean:  ## remove the environment and everything made
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
