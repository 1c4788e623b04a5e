# Each target sets up what it needs: the first one that runs makes .venv from requirements.lock.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
READY := $(VENV)/.ready

BROWSERS := chromium chromium-browser google-chrome google-chrome-stable
BROWSER := $(firstword $(CHROMIUM) $(foreach name,$(BROWSERS),$(shell command -v $(name) 2>/dev/null)))

# Names of folders may have blanks: recipes take them from the environment, in quotes, with ~ for one's home.
at_home = $(subst //0//,,$(subst //0//~/,$(HOME)/,//0//$(1)))
override OUT := $(call at_home,$(OUT))
override TRACES := $(call at_home,$(TRACES))
export OUT TRACES

export PATH := $(CURDIR)/$(VENV)/bin:$(PATH)
export VIRTUAL_ENV := $(CURDIR)/$(VENV)
export DVC_NO_ANALYTICS := 1
export UV_LINK_MODE := copy
# Every stage and test worker is a process of its own: without bytecode each would compile what it imports.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help setup repro beyond test check mutants bench lab report figures site book browser-test screenshots chromium lock soak

help: ## Show what there is to make
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 20

setup: $(READY) ## Install the locked environment into .venv

$(READY): requirements.lock pyproject.toml
	@test -n "$(PYTHON)" || { echo "error: no python3 on this machine; install Python 3.11"; exit 2; }
	test -x $(VENV)/bin/python || $(PYTHON) -m venv $(VENV)
	sed -n '/^uv==/,/[^\\]$$/p' requirements.lock > $(VENV)/uv.txt
	$(VENV)/bin/python -m pip install --quiet --require-hashes --no-deps --requirement $(VENV)/uv.txt
	uv pip sync --quiet --require-hashes --build-constraint requirements.lock --compile-bytecode requirements.lock
	uv pip install --quiet --no-deps --no-build-isolation --compile-bytecode --editable .
	@touch $(READY)

repro: $(READY) ## Reproduce the paper: tasks, games, tables, and its figures beside ours
	python -m pipeline.paper.stages
	python -m pipeline docs
	python -m pipeline ledger

beyond: $(READY) ## Go beyond the paper: frontier, leakage in bits, ladder, optima, larger worlds, strategy, how many games
	python -m pipeline.paper.stages notebooks/beyond/dvc.yaml
	python -m pipeline docs

test: $(READY) ## Run the tests
	pytest -n auto --dist worksteal -m "not slow"

check: $(READY) ## Run the slow tests; check style, types, and that dvc.lock fits the tree
	pytest -n auto --dist worksteal -m slow
	ruff check .
	ruff format --check .
	mypy
	python -m pipeline docs --check
	@# A dry run exits 0 also where code or parameters have changed: what it would run is the verdict.
	@for file in dvc.yaml notebooks/beyond/dvc.yaml; do \
	dry=$$(dvc repro --allow-missing --dry $$file 2>&1) || { echo "$$dry"; exit 1; }; \
	if echo "$$dry" | grep "^Running stage"; then echo "error: the lock of $$file is behind; run make repro, make beyond, and commit"; exit 1; fi; \
	done

mutants: $(READY) ## Change what counts line by line and ask whether a test notices; an hour at most, then goes on from there
	timeout 3600 mutmut run
	mutmut results

bench: $(READY) ## Measure how fast everything is, and write docs/benchmarks.json and its page
	python -m bench
	python -m pipeline docs

# Copies, never over one that is there; what they draw goes to lab/, too, as their parameter `figures` says.
lab: $(READY) ## Open JupyterLab on copies of the notebooks in lab/, which git does not see
	@mkdir -p lab && for book in notebooks/*.ipynb; do test -e lab/$$(basename $$book) || cp $$book lab/; done
	jupyter lab --ServerApp.ip=127.0.0.1 --ServerApp.root_dir=. $(if $(filter 0,$(shell id -u)),--allow-root) lab/60_explore_traces.ipynb

report: $(READY) ## Write pages about every team; TRACES=folder for traces of your own, OUT=folder for the pages
	python -m pipeline report $${TRACES:+"$$TRACES"} --out "$${OUT:-reports}"

figures: $(READY) ## Write every figure as PDF at the widths of print, tables as LaTeX; OUT=folder for the files
	python -m pipeline figures --out "$${OUT:-print}"

site: $(READY) ## Write leaderboard and trace viewer as pages; TRACES=folder for traces of your own, OUT=folder for the pages
	python -m pipeline site $${TRACES:+"$$TRACES"} --out "$${OUT:-site}"

book: $(READY) ## Write documents, executed notebooks and docstrings as pages that can be searched, book/html/index.html
	sphinx-build --quiet --fail-on-warning --keep-going --jobs auto --conf-dir docs -d book/doctrees . book/html

browser-test: $(READY) chromium book ## Walk through the site and the book in a headless browser
	pytest tests/browser

screenshots: site chromium ## Take the README's pictures of the site anew
	python tests/browser/screenshots.py

chromium:
	@test -n "$(BROWSER)" || { test "$$(id -u)" = 0 && apt-get update -qq && apt-get install -y -qq chromium; } || \
	{ echo "error: no Chromium on this machine; install it (Debian: sudo apt-get install chromium)"; exit 2; }

soak: $(READY) ## Fuzz games, mutate traces and kill runs for ten minutes
	python -m tests.soak --minutes 10 $(SOAK)

lock: ## Resolve requirements.lock anew from pyproject.toml
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --group book --group dev --all-extras pyproject.toml -o requirements.lock
