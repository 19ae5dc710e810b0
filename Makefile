# Everything a person or a machine does with this repository. `make` alone lists the targets.
# Paths are relative, so that the folder may have spaces and letters of any alphabet in its name.

PYTHON ?= python3
TORCH_INDEX ?=
ONLY ?=
ARGS ?=
BIN := .venv/bin

.DEFAULT_GOAL := help
.NOTPARALLEL:
# Random schedules of loss, delay, repetition, reorder and crashes that the sessions must survive.
SCHEDULES := $(if $(CI),2000,200)

.PHONY: help setup demo test check format pytest docker-test images engine smoke soak proto proto-check docs bench pins clean

help: ## list the targets
	@echo 'Collude: run a privacy protocol over a real network, and see what colluders learn.'
	@echo
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile
	@echo
	@echo '  PYTHON=python3.12        another interpreter (3.11 or newer)'
	@echo '  TORCH_INDEX=URL          where to take another build of torch from (README)'
	@echo '  ARGS="--out DIR"         passed on to collude demo or to pytest'

setup: ## make .venv and install the pinned dependencies; quick when nothing changed
	@PYTHON='$(PYTHON)' TORCH_INDEX='$(TORCH_INDEX)' sh tools/setup.sh

demo: setup ## four participants, one of them a colluder: run, attack, write report.html
	@$(BIN)/collude demo $(ARGS)

test: check proto-check smoke pytest docker-test ## every check and every test; CI runs exactly this

check: setup ## the quick checks: format, lint, types, import contracts, dependencies, docs
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/mypy tools benchmarks
	$(BIN)/lint-imports
	$(BIN)/deptry .
	$(BIN)/python -m tools.docgen --check
	$(BIN)/python tools/fault_coverage.py

format: setup ## put the code into the one format and apply the safe fixes
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

pytest: setup ## the tests alone; ARGS="tests/common -k codec" for some of them
	COLLUDE_SCHEDULES=$${COLLUDE_SCHEDULES:-$(SCHEDULES)} $(BIN)/pytest -n 3 --dist worksteal -m 'not docker' $(ARGS)

docker-test: setup ## the tests in containers; where no engine answers one line says so
	$(BIN)/pytest -q -m docker tests/runtime/compose $(ARGS)

images: setup ## build the container images, and say how large they are
	@$(BIN)/collude images

engine: ## start a container engine where none runs, if ../shared/containers can
	@.ci/engine.sh start

smoke: setup ## build the wheel, install it in an empty environment, run the demo from there
	TORCH_INDEX='$(TORCH_INDEX)' $(BIN)/python tools/wheel_smoke.py

soak: setup ## random periods for an hour, resumable: ARGS="--minutes 30 --folder DIR"
	PYTHONPATH=tests/helpers $(BIN)/python -m testkit.soak $(ARGS)

proto: setup ## make the Python stubs of proto/ again
	$(BIN)/python proto/generate.py

proto-check: setup ## fail when the committed stubs are not those that proto/ gives
	$(BIN)/python proto/generate.py --check

docs: setup ## write the parts of docs/ that are made from the code
	$(BIN)/python -m tools.docgen

bench: setup ## measure speed, write docs/benchmarks.md; ONLY=alignment for one benchmark
	$(BIN)/python -m benchmarks $(ONLY) $(ARGS)

pins: setup ## write constraints.txt from what .venv has now
	@sh tools/pins.sh > constraints.new && mv constraints.new constraints.txt

clean: ## remove the environments and everything that was made
	rm -rf .venv .venv-proto .venv-bench build dist src/collude.egg-info .mypy_cache .ruff_cache \
		.pytest_cache .hypothesis .import_linter_cache
