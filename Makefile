# ForgeGuard. `make run` starts it, `make test` tests all of it, `make help` lists the rest.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

NPM := npm --no-audit --no-fund
# Everything that the built web app depends on.
WEB_SOURCES := $(shell find web -path web/node_modules -prune -o -type f ! -name openapi.json -print)
# cargo-nextest where it is installed: one process a test, and faster.
NEXTEST := $(shell command -v cargo-nextest)
# Tests wait for processes and databases about half of the time: two for each core.
TEST_THREADS := $(shell expr 2 \* $$(nproc 2>/dev/null || echo 2))
RUST_TESTS := $(if $(NEXTEST),cargo nextest run --test-threads $(TEST_THREADS),cargo test --lib --bins --tests)
# Tests named soak_… are long rounds, which `make soak` runs and nothing else does.
SKIP_SOAK := $(if $(NEXTEST),,-- --skip soak_)
SOAK_TESTS := $(if $(NEXTEST),cargo nextest run --profile soak --workspace,\
	cargo test --lib --bins --tests --workspace -- --test-threads 1 soak_)
# The program that the tests run, built once, along with them; and the folder for their files.
TESTED = FORGEGUARD_BINARY=$(abspath $(or $(CARGO_TARGET_DIR),target)/debug/forgeguard) TMPDIR=$(shell scripts/test-folder)

.NOTPARALLEL:
.PHONY: run test check bench soak screens dev types example format help clean \
	tools test-tools soak-tools web-test rust-test e2e bench-ide types-check

run: tools static/app/index.html ## Build and start ForgeGuard; flags: make run ARGS="--listen 0.0.0.0:8080"
	@cargo build --profile quick -p forgeguard
	@exec $(or $(CARGO_TARGET_DIR),target)/quick/forgeguard serve $(ARGS)

test: tools test-tools web-test rust-test e2e ## Run all tests, and install what they need

check: tools web/node_modules/.ready tests/e2e/node_modules/.ready types-check ## The quick loop: formatting, lints, layers, types
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings
	cargo test -q -p tidy
	$(NPM) --prefix web run check
	$(NPM) --prefix tests/e2e run check
	$(NPM) --prefix tests/mcp run check

bench: tools static/app/index.html ## Measure, and print a table
	cargo run --release -p bench -- $(ARGS)
	@$(if $(ARGS),,$(MAKE) --no-print-directory bench-ide)

soak: tools test-tools soak-tools static/app/index.html tests/e2e/node_modules/.ready tests/mcp/node_modules/.ready tests/agents/fnm/node_modules/.ready ## Fuzz every parser, run the long rounds, check the image
	scripts/fuzz
	$(TESTED) $(SOAK_TESTS)
	SOAK=1 $(TESTED) $(NPM) --prefix tests/e2e test
	$(TESTED) $(NPM) --prefix tests/e2e run firefox
	$(TESTED) $(NPM) --prefix tests/mcp test
	$(TESTED) scripts/check-image

screens: tools test-tools tests/e2e/node_modules/.ready static/app/index.html ## Compare screenshots with the stored ones; make screens ARGS=-u stores new ones
	@$(RUST_TESTS) --workspace --no-run
	$(TESTED) $(NPM) --prefix tests/e2e run screens -- $(ARGS)

dev: tools web/node_modules/.ready static/app/index.html ## Start the server and a web app that reloads as you type
	@cargo build -p forgeguard
	@trap 'kill 0' EXIT; \
		target/debug/forgeguard serve $(ARGS) & \
		$(NPM) --prefix web run dev

types: tools web/node_modules/.ready static/app/index.html ## Regenerate the API document and its TypeScript types
	cargo run -q -p forgeguard -- openapi > web/openapi.json.new
	mv web/openapi.json.new web/openapi.json
	$(NPM) --prefix web run -s types

example: ## Copy the contracts in static/example/contracts into its scenario
	@scripts/need node
	node scripts/example.mjs

format: web/node_modules/.ready ## Format all code
	cargo fmt --all
	$(NPM) --prefix web run format
	$(NPM) --prefix tests/e2e run format
	$(NPM) --prefix tests/mcp run format

clean: ## Remove everything that was built; data stays
	cargo clean
	rm -rf static/app web/node_modules tests/e2e/node_modules tests/mcp/node_modules tests/agents/fnm/node_modules tests/e2e/shots tests/e2e/report

help: ## List these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' Makefile

# --- parts of the above ---

tools:
	@scripts/need git cargo cc node npm

test-tools:
	@scripts/need-for-tests

soak-tools:
	@scripts/need-for-soak

web-test: web/node_modules/.ready static/app/index.html
	$(NPM) --prefix web run check
	$(NPM) --prefix web test

rust-test: static/app/index.html
	$(TESTED) $(RUST_TESTS) --workspace $(SKIP_SOAK)

e2e: tests/e2e/node_modules/.ready static/app/index.html
	@$(RUST_TESTS) --workspace --no-run
	$(TESTED) $(NPM) --prefix tests/e2e test

# What only a browser can tell.
bench-ide: tests/e2e/node_modules/.ready static/app/index.html
	@$(NPM) --prefix tests/e2e run -s measure

# The document that is checked in is the one that the code gives.
types-check: web/node_modules/.ready static/app/index.html
	@made=$$(mktemp -d); trap 'rm -rf "$$made"' EXIT; \
		cargo run -q -p forgeguard -- openapi > "$$made/openapi.json"; \
		web/node_modules/.bin/openapi-typescript "$$made/openapi.json" -o "$$made/api.ts" >/dev/null 2>&1; \
		cmp -s "$$made/openapi.json" web/openapi.json && cmp -s "$$made/api.ts" web/src/generated/api.ts \
			|| { echo 'the API has changed and its types have not: make types' >&2; exit 1; }

static/app/index.html: web/node_modules/.ready $(WEB_SOURCES)
	$(NPM) --prefix web run -s build
	@touch $@

%/node_modules/.ready: %/package.json %/package-lock.json
	PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 $(NPM) --prefix $* ci
	@touch $@
