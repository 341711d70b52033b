# The commands of this repository. `make` alone prints the list.
# No target needs the network after the first build and the first fetch of TLC.
.DEFAULT_GOAL := help
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c

GO ?= go
SEED ?= 1
BENCH ?= .
FUZZTIME ?= 10s
SOAK ?= 10m
# Binaries are not stamped with the state of git: they build in an export of the tree,
# and in a clone that belongs to another user, too.
export GOFLAGS ?= -buildvcs=false

# Patterns skip what is named testdata, and one such folder has tests of its own.
PACKAGES := ./... ./traces/testdata

GOTEST := $(GO) run ./cmd/tidy/gotest
VIEWSTAMP := $(GO) run ./cmd/viewstamp

help: ## Show this list.
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

verify: ## Everything that the project claims, checked; one table.
	$(VIEWSTAMP) verify

quick: ## The same with small figures.
	$(VIEWSTAMP) verify --quick

test: ## Unit, table, property and scenario tests, shuffled.
	@$(GOTEST) -shuffle=on $(PACKAGES)

nightly: ## Every fault, flipped bit and counterexample, of which test and verify try some.
	@VIEWSTAMP_COUNTEREXAMPLES=1 $(GOTEST) -timeout=1h -run=EachMutantsCounterexample \
		./cmd/viewstamp/verify
	@VIEWSTAMP_UNREDUCED=1 $(GOTEST) -timeout=1h -run=UnreducedShowsOf ./traces/refine
	@VIEWSTAMP_FAULT_MATRIX=1 $(GOTEST) -timeout=3h -run='Matrix|Flipped|NoFault|FormatIs' $(MATRIX)

race: ## The product and the history checkers under the race detector.
	@$(GOTEST) -race -shuffle=on ./impl/... ./linearizability/...

lint: ## Linters and formatters, at the version in .ci/tools.mod.
	$(GO) tool -modfile=.ci/tools.mod golangci-lint run $(PACKAGES)

tidy: ## House rules; `go run ./cmd/tidy -rules` lists them.
	@$(GO) run ./cmd/tidy

vet: ## go vet.
	$(GO) vet $(PACKAGES)

fuzz: ## Every fuzz target for FUZZTIME: make fuzz FUZZTIME=1m
	@grep -rnoE '^func Fuzz[A-Za-z0-9_]+' --include='*_test.go' . | sort | \
	while IFS=: read -r file _ declaration; do \
		target=$${declaration#func }; package=$$(dirname "$$file"); \
		echo "fuzz $$package $$target"; \
		$(GO) test -run='^$$' -fuzz="^$$target\$$" -fuzztime=$(FUZZTIME) "$$package" </dev/null; \
	done

bench: ## Benchmarks (make bench BENCH=Append), then traces, histories and simulation per CPU second.
	$(GO) test -run='^$$' -bench='$(BENCH)' -benchmem ./...
	$(VIEWSTAMP) bench conform
	$(VIEWSTAMP) bench lin
	$(VIEWSTAMP) bench sim

golden: ## Rewrite expected output; read the diff before you commit it.
	$(GO) test $(GOLDEN) -update
	$(VIEWSTAMP) check --write-golden spec/golden

soak: ## Real processes killed, stopped and cut off, for ten minutes: make soak SOAK=1h
	VIEWSTAMP_SOAK=$(SOAK) $(GO) test ./impl/node -run HistoriesOf -v -timeout 24h

sim: ## One run of the simulator: make sim SEED=7
	$(VIEWSTAMP) sim run --seed $(SEED)

ci: ## What CI runs.
	@.ci/run

# The packages whose tests take -update.
GOLDEN = $(sort $(dir $(shell grep -rlE '"update", false' --include='*_test.go' .)))

# The packages whose tests try more where VIEWSTAMP_FAULT_MATRIX is set.
MATRIX = $(sort $(dir $(shell grep -rl VIEWSTAMP_FAULT_MATRIX --include='*_test.go' .)))

.PHONY: help verify quick test nightly race lint tidy vet fuzz bench golden soak sim ci
