# Everything runs in .venv in the project's root. The first call of a target sets up what it needs.
PYTHON ?= python3
BIN := .venv/bin
# What is never imported need not be compiled, which saves a third of the set-up; what is imported
# is compiled once, whatever the environment says.
unexport PYTHONDONTWRITEBYTECODE
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile

# Versions that every environment gets; 'make LOCK= test' takes the newest that pyproject.toml allows.
LOCK := requirements-dev.lock
CONSTRAINT := $(if $(LOCK),--constraint $(LOCK))

.PHONY: demo test check docs perf claims fuzz audit package lowest lock clean

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

fuzz: .venv/full.stamp  ## Look for counterexamples for ten minutes; OPTIONS="--seed 1 --minutes 2" changes that.
	$(BIN)/python perf/fuzz/run.py $(OPTIONS)

audit: .venv/full.stamp  ## Known vulnerabilities of the locked packages, if the registry tells them.
	$(BIN)/python perf/audit.py

package:  ## Build wheel and sdist, install them in a clean environment without extras, and try them.
	.ci/package

lowest:  ## The same with the lowest versions of the dependencies that pyproject.toml allows.
	.ci/package lowest

lock: .venv/full.stamp .venv/docs.stamp  ## Write the versions of this environment to the lock file.
	$(BIN)/python -m pip freeze --exclude-editable | sed 's/+cpu$$//' > .venv/frozen
	(grep '^#' requirements-dev.lock; cat .venv/frozen) > .venv/lock && mv .venv/lock requirements-dev.lock

clean:  ## Remove the environment.
	rm -rf .venv

.venv/created.stamp:
	$(PYTHON) -m venv .venv
	touch $@

.venv/core.stamp: .venv/created.stamp pyproject.toml $(LOCK)
	@echo "Installing numpy, scipy, scikit-learn, pandas, matplotlib ... (about a minute, once)"
	$(PIP) $(CONSTRAINT) --editable .
	touch $@

.venv/docs.stamp: .venv/core.stamp
	@echo "Installing Sphinx (once)"
	$(PIP) $(CONSTRAINT) --editable ".[docs]"
	touch $@

# torch comes first and pinned: resolved by another package it would be a build of several gigabytes.
.venv/full.stamp: .venv/core.stamp
	@echo "Installing torch and the peers we compare with (several minutes, once)"
	$(PIP) torch==2.13.0
	$(PIP) $(CONSTRAINT) --editable ".[all,dev]"
	touch $@
