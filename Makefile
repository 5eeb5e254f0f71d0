# Everything runs in .venv in the project's root. The first call of a target sets up what it needs.
PYTHON ?= python3
BIN := .venv/bin
# What is never imported need not be compiled, which saves a third of the set-up; what is imported
# is compiled once, whatever the environment says.
unexport PYTHONDONTWRITEBYTECODE
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile

.PHONY: demo test check docs perf claims clean

demo: .venv/core.stamp  ## Install the core and run the main job on a bundled example.
	$(BIN)/mast demo

test: .venv/full.stamp  ## Install every extra and run all tests.
	$(BIN)/python -m pytest -n auto

check: .venv/full.stamp  ## Lint, format and types.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: .venv/docs.stamp  ## Build the documentation site in docs/_build; warnings are errors.
	$(BIN)/python -m sphinx -W --keep-going -q -E -j auto -d docs/_build/doctrees docs docs/_build/html
	@echo "Open docs/_build/html/index.html"

perf: .venv/full.stamp  ## Speed against peers, measured side by side.
	$(BIN)/python perf/run.py --output docs/performance.md

claims: .venv/full.stamp  ## Check every figure in README and docs against the recorded results.
	$(BIN)/python perf/claims.py

clean:  ## Remove the environment.
	rm -rf .venv

.venv/created.stamp:
	$(PYTHON) -m venv .venv
	touch $@

.venv/core.stamp: .venv/created.stamp pyproject.toml
	@echo "Installing numpy, scipy, scikit-learn, pandas, matplotlib ... (about a minute, once)"
	$(PIP) --editable .
	touch $@

.venv/docs.stamp: .venv/core.stamp
	@echo "Installing Sphinx (once)"
	$(PIP) --editable ".[docs]"
	touch $@

# torch comes first and pinned: resolved by another package it would be a build of several gigabytes.
.venv/full.stamp: .venv/core.stamp
	@echo "Installing torch and the peers we compare with (several minutes, once)"
	$(PIP) torch==2.13.0
	$(PIP) --editable ".[all,dev]"
	touch $@
