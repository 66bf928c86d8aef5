# Every target works from a fresh clone with Node.js >= 20, npm, git and make: npm ci brings the Node that runs the rest.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
export PATH := $(CURDIR)/node_modules/.bin:$(PATH)
CASES ?= ../shared
TIMEOUT ?= 300
installed := node_modules/.package-lock.json
# Arguments stand before --selectProjects, which takes every word after it for a project.
jest = npm run --silent test -- $(ARGS) --selectProjects

.DEFAULT_GOAL := help
.PHONY: help install build run down test cases check conformance e2e bench bench-smoke load fuzz soak docs packages release format clean

help: ## list the targets
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z0-9-]+):.*## (.*)/  make \1|\2/' | column -t -s '|'

$(installed): package.json package-lock.json
	npm ci --no-audit --no-fund --loglevel=error
	@touch $@

install: $(installed) ## install the dependencies

build: $(installed) ## bundle the programs into dist/, and put kyma beside the node of the project
	npm run --silent build
	@for name in kyma operator apiserver; do \
	  ln -sf ../../dist/$$name.js node_modules/.bin/$$([ $$name = kyma ] && echo kyma || echo kyma-$$name); \
	done

run: build ## start the whole world on loopback; ONCE=1 stops at Ready, TIMEOUT=300 seconds
	exec node dist/kyma.js local up --demo --timeout $(TIMEOUT)s $(if $(filter 1,$(ONCE)),--once)

down: build ## stop it and remove its data
	node dist/kyma.js local down

test: $(installed) ## run all tests that need nothing outside the clone
	$(jest) unit

cases: build ## compare with the recorded answers in CASES (../shared)
	@test -d "$(CASES)/cases" -a -d "$(CASES)/reference" || { echo "make cases: $(CASES) has no cases/ and reference/: name the folder with CASES=" >&2; exit 1; }
	CASES="$(abspath $(CASES))" $(jest) cases

check: $(installed) ## types, lint, format, import rules, unused code, docs up to date
	npm run --silent typecheck
	npm run --silent lint
	npm run --silent format:check
	npm run --silent imports
	npm run --silent unused
	npm run --silent docs:check

conformance: build ## API behaviour on the embedded server and, if KUBEBUILDER_ASSETS is set, on a real one
	$(jest) conformance

e2e: build ## user stories with real kubectl, helm and registry
	$(jest) e2e --runInBand

bench: build ## measure the targets and write docs/reference/benchmarks.md
	npm run --silent bench -- $(ARGS)

bench-smoke: build ## check that each benchmark runs
	npm run --silent bench -- --smoke

load: build ## a fleet of 10,000 runtimes with faults; writes docs/reference/load.md
	NODE_OPTIONS=--max-old-space-size=8192 npm run --silent bench -- --long --only load

fuzz: $(installed) ## long searches for faults in parsers and renderers
	npm run --silent fuzz -- $(ARGS)

soak: $(installed) ## half an hour of simulations with seeded faults and of real churn
	npm run --silent soak -- $(ARGS)

docs: $(installed) ## write the generated reference pages
	npm run --silent docs

packages: $(installed) ## the libraries as npm gets them, in dist/npm, checked by publint
	npm run --silent packages

release: $(installed) ## show what VERSION=1.4.0 would change; with APPLY=1 commit and tag it
	npm run --silent release -- $(VERSION) $(if $(filter 1,$(APPLY)),--apply)

format: $(installed) ## format the code
	npm run --silent format

clean: ## remove what was built
	rm -rf dist coverage reports .cache
