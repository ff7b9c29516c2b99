# Everything runs from .venv, which the lock fills; `uv` is used where it is installed, else venv and pip.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
UV := $(shell command -v uv 2>/dev/null)

.PHONY: install install-dev demo sandbox test check bench chaos burst lock clean

$(VENV)/.installed: requirements.lock pyproject.toml
ifdef UV
	uv venv --quiet --allow-existing --python $(PYTHON) $(VENV)
	uv pip install --quiet --python $(BIN)/python --require-hashes -r requirements.lock
	uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation -e .
else
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
endif
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.installed requirements-dev.lock
ifdef UV
	uv pip install --quiet --python $(BIN)/python --require-hashes -r requirements-dev.lock
else
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
endif
	@touch $@

install: $(VENV)/.installed  ## the product, into .venv

install-dev: $(VENV)/.installed-dev  ## and what its checks and tests need

demo: install  ## the main job, offline, then exit
	$(BIN)/lead-agent demo

sandbox: install  ## a browser page on which you are the lead and the operator
	$(BIN)/lead-agent sandbox

test: install-dev  ## the suite
	$(BIN)/python -m pytest -q -n 3

check: install-dev  ## style, types, import direction
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: install-dev  ## ratios, measured in one run
	$(BIN)/python -m tests.bench $(BENCH_ARGS)

chaos: install-dev  ## the long versions of the proofs: kill -9 anywhere, any order of events
	$(BIN)/python -m tests.crash
	$(BIN)/python -m tests.engine.interleavings

burst: install-dev  ## the proof of website forms: 5,000 posts from 500 clients, kill -9 in the middle
	$(BIN)/python -m tests.burst

lock:  ## resolve anew what pyproject.toml allows (needs uv)
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --group build pyproject.toml -o requirements.lock
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --group dev -c requirements.lock pyproject.toml -o requirements-dev.lock

clean:
	rm -rf $(VENV) dist build .pytest_cache .mypy_cache .ruff_cache
