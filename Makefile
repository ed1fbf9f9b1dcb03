# `make` alone lists the targets.
PYTHON ?= python3

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help demo test quick check bench prove mutants test-times constraints vendor screens clean postgres java chromium bubblewrap

BIN := .venv/bin
INPUTS := pyproject.toml constraints.txt

# PIP_CONSTRAINT pins the build requirements too (newer pips read PIP_BUILD_CONSTRAINT for that).
# The path is relative on purpose: pip splits these variables at blanks.
# -qq leaves errors only.
PIP_OPTIONS := -qq --disable-pip-version-check --no-input
INSTALL := PIP_CONSTRAINT=constraints.txt PIP_BUILD_CONSTRAINT=constraints.txt \
	$(BIN)/python -m pip install $(PIP_OPTIONS) -c constraints.txt

# Makes a virtual environment at $(1), or says in one sentence why it cannot.
define new_venv
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "sfumato needs Python 3.11 or newer: make PYTHON=/path/to/python3.11 ..." >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
		{ echo "Python has no venv here: install it with 'apt install python3-venv'." >&2; exit 1; }
	@$(PYTHON) -m venv --clear $(1) || { rm -rf $(1); exit 1; }
endef

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: .venv/.base ## install sfumato and its server, and show the main job in six steps
	@$(BIN)/sfumato demo

test: .venv/.dev postgres java chromium bubblewrap ## run all tests, then check that they catch every mutant
	$(BIN)/python -m tests.run $(if $(BUSY),--busy=$(BUSY))

quick: check ## check, then the unit and property tests: the inner loop, without browser and databases
	$(BIN)/pytest -n 2 --dist worksteal tests/suite tests/unit tests/property

test-times: .venv/.dev postgres java chromium bubblewrap ## run all tests and list their CPU seconds; writes the table of docs/testing.md
	$(BIN)/python -m tests.times $(TESTS)

check: .venv/.dev ## lint, format, types, import contracts
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy -n auto
	$(BIN)/lint-imports --no-logo

bench: .venv/.dev ## measure what privacy costs against its targets (15 minutes); writes bench/results.json
	$(BIN)/python bench/run.py

screens: .venv/.dev chromium ## take a picture of every screen, light and dark; writes docs/screens
	$(BIN)/python -m tests.web.screens

prove: .venv/.dev postgres java chromium bubblewrap ## tests at full depth, PART=statistical or all parts; goes on where it ended; writes docs/evidence
	$(BIN)/python -m tests.prove $(PART) $(if $(MINUTES),--minutes=$(MINUTES)) $(if $(NEW),--new)

mutants: .venv/.dev ## break the code on purpose, one break at a time: each must turn its test red; ONLY=name for one
	$(BIN)/python -m tests.mutants.run $(ONLY)

constraints: ## pin the newest versions that pyproject.toml allows in constraints.txt
	$(call new_venv,.venv-constraints)
	@.venv-constraints/bin/python -m pip install $(PIP_OPTIONS) '.[dev]' 'hatchling>=1.27' editables
	@{ echo "# Made by 'make constraints' with Python $$($(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])'). Do not edit."; \
		.venv-constraints/bin/python -m pip freeze --disable-pip-version-check --exclude sfumato; } > constraints.new
	@if grep -Evn '^(#.*|[A-Za-z0-9._-]+==[A-Za-z0-9.!+_-]+)$$' constraints.new >&2; then \
		rm -rf constraints.new .venv-constraints; echo "These lines are not plain pins: constraints.txt is left as it was." >&2; exit 1; fi
	@mv constraints.new constraints.txt && rm -rf .venv-constraints

vendor: ## make the browser's libraries anew from the versions in tools/vendor/package.json; needs Node.js and npm
	@command -v node >/dev/null && command -v npm >/dev/null || { echo "make vendor needs Node.js and npm; nothing else here does." >&2; exit 1; }
	@node tools/vendor/bundle.mjs

clean: ## remove what make made
	rm -rf .venv .venv-constraints dist build .pytest_cache .hypothesis .mypy_cache .ruff_cache .import_linter_cache
	find src tests bench -type d -name __pycache__ -prune -exec rm -rf {} +

# Installs the Debian package $(2) for the tests of $(1) if that may be done without asking; else those tests are
# skipped, each with one line.
define from_apt
	{ [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && echo "Installing $(1) for its tests ..." && \
		export DEBIAN_FRONTEND=noninteractive && apt-get -qq -o Acquire::http::Timeout=10 update && \
		apt-get -qq -y --no-install-recommends install $(2) >/dev/null; } || \
		echo "$(1) is not here and cannot be installed: its tests are skipped." >&2
endef

# The tests start a PostgreSQL server of their own,
postgres:
	@ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null 2>&1 || \
		$(call from_apt,PostgreSQL,postgresql)

# run Spark on a Java that it supports (Debian's default has been one since 12),
java:
	@$${JAVA_HOME:+$$JAVA_HOME/bin/}java -version 2>&1 | grep -Eq 'version "(1[7-9]|[2-9][0-9])' || \
		$(call from_apt,Java,default-jre-headless)

# and look at pages with a browser. Playwright, which drives it, needs libatomic.
chromium: .venv/.dev
	@{ command -v chromium && $(BIN)/python -m playwright --version; } >/dev/null 2>&1 || \
		$(call from_apt,Chromium,chromium libatomic1)

# and run hostile code where it can do nothing.
bubblewrap:
	@command -v bwrap >/dev/null 2>&1 || $(call from_apt,bubblewrap,bubblewrap libseccomp2)

$(BIN)/pip:
	$(call new_venv,.venv)

# With the server, so that `sfumato demo --serve` can follow.
.venv/.base: $(INPUTS) | $(BIN)/pip
	@echo "Installing sfumato into .venv ..."
	@$(INSTALL) -e '.[server]'
	@touch $@

.venv/.dev: $(INPUTS) | $(BIN)/pip
	@echo "Installing sfumato and what its tests need into .venv ..."
	@$(INSTALL) -e '.[dev]'
	@touch $@ .venv/.base
