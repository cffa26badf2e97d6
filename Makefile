# Everything starts here: `make run` shows the library at work, `make test` runs every check.
# Needed beforehand: make, python3 (3.11 or newer, with its venv module) and access to PyPI.

UV_PIN := 0.13.9
BIN := .venv/bin
EXAMPLE := examples/mobility_year.toml
PICTURE := build/mobility_year.svg

# The tests must meet the built wheel, not the source tree, whatever the caller's shell is set to.
unexport PYTHONPATH OPTCOMP_SOURCE_TREE VIRTUAL_ENV

# uv from PATH if it works and is new enough, else a pinned one in .uv/.
define FIND_UV
uv=$$(command -v uv 2>/dev/null || true); \
if [ -n "$$uv" ] && ! "$$uv" version --short >/dev/null 2>&1; then \
	echo "setup: the uv on PATH cannot read this project, it is not used"; uv=; \
fi; \
if [ -z "$$uv" ]; then \
	uv=.uv/bin/uv; \
	if [ "$$($$uv --version 2>/dev/null | cut -d' ' -f2)" != "$(UV_PIN)" ]; then \
		echo "setup: no usable uv on PATH, installing uv $(UV_PIN) into .uv/"; \
		rm -rf .uv; \
		python3 -m venv .uv || { echo "setup: python3 cannot make .uv/; install its venv module, or uv itself" >&2; exit 1; }; \
		.uv/bin/python -m pip install --quiet --disable-pip-version-check "uv==$(UV_PIN)"; \
	fi; \
fi
endef

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help setup run test nightly peers bench docs lint lock clean

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 18

setup: ## make .venv/ with optcomp as a built wheel and all tools
	@set -eu; $(FIND_UV); \
	echo "setup: building the wheel and filling .venv/ from uv.lock"; \
	UV_PROJECT_ENVIRONMENT=.venv "$$uv" sync --quiet --locked --no-editable --reinstall-package optcomp

run: setup ## compose and compare the example plan, and draw its trade-off curve
	@echo "run: optcomp compare $(EXAMPLE) --delta 1e-6"
	@$(BIN)/optcomp compare $(EXAMPLE) --delta 1e-6
	@echo "run: optcomp compose $(EXAMPLE)"
	@$(BIN)/optcomp compose $(EXAMPLE)
	@mkdir -p build
	@echo "run: optcomp tradeoff $(EXAMPLE) --picture $(PICTURE)"
	@$(BIN)/optcomp tradeoff $(EXAMPLE) --picture $(PICTURE) --force

test: lint docs ## run every check: lint, documents, tests against the wheel
	@echo "test: pytest against the installed wheel"
	@$(BIN)/python -P -m pytest -n 2

nightly: setup ## run the long tests
	@echo "nightly: pytest, long tests only"
	@$(BIN)/python -P -m pytest -n 2 -m nightly --hypothesis-profile=nightly

peers: setup ## check the conversions against the real dp_accounting, in .peers/
	@set -eu; $(FIND_UV); \
	echo "peers: dp_accounting beside the wheel in .peers/"; \
	"$$uv" venv --quiet --clear .peers; \
	"$$uv" pip install --quiet --python .peers/bin/python . pytest hypothesis "dp-accounting==0.6.0"; \
	.peers/bin/python -P -m pytest -m nightly tests/interop/test_peers.py

bench: setup ## measure side by side with peers; write docs/benchmarks.md and docs/scaling.md
	@echo "bench: python -m benchmarks"
	@$(BIN)/python -m benchmarks
	@$(BIN)/python -m benchmarks.scaling

docs: setup ## build docs/_build/html, warnings are errors
	@echo "docs: sphinx into docs/_build/html"
	@$(BIN)/python -P -m sphinx -W --keep-going -q -E -b html docs docs/_build/html

lint: setup ## style, types and import contracts
	@echo "lint: ruff check"
	@$(BIN)/ruff check --quiet
	@echo "lint: ruff format --check"
	@$(BIN)/ruff format --check --quiet
	@echo "lint: mypy"
	@$(BIN)/mypy --no-error-summary
	@echo "lint: import contracts"
	@$(BIN)/lint-imports --no-cache --no-logo

lock: ## resolve the dependencies again and write uv.lock
	@set -eu; $(FIND_UV); \
	echo "lock: uv lock --upgrade"; \
	"$$uv" lock --upgrade --default-index https://pypi.org/simple

clean: ## remove everything that the other targets made
	@echo "clean: .venv .uv .peers docs/_build and caches"
	@rm -rf .venv .uv .peers .bench build dist docs/_build .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
