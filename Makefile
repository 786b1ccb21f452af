# Two commands are enough: `make run` to try it, `make test` to prove it. Both need Node 20.19 or newer, npm and make.
NODE_MODULES := node_modules/.package-lock.json
EXAMPLES_HOME ?= .troupe

.PHONY: run test setup build lint golden bench sim compare check clean

run: build ## server and scheduler on 127.0.0.1:8080 with the example workflows
	node dist/src/cli/main.js start-all --home $(EXAMPLES_HOME) --dags fixtures/examples

test: check ## install, build, lint, all tests

check: build lint
	node_modules/.bin/mocha

setup: $(NODE_MODULES)
$(NODE_MODULES): package.json package-lock.json
	npm install --no-save --ignore-scripts --no-audit --no-fund # not `npm ci`: it refuses a lock file where a registry lacks other platforms' packages
	@touch $@

build: setup
	node_modules/.bin/tsc -b

lint: setup
	node_modules/.bin/biome check --error-on-warnings .

golden: build ## record golden files anew; review the difference
	UPDATE_GOLDEN=1 node_modules/.bin/mocha

bench: build ## figures, beside Dagu where it can be had; see test/bench/README.md
	node dist/test/bench/main.js

sim: build ## SEEDS lives of scheduler, queues and retention on a virtual clock; SEED repeats one. See test/sim/README.md
	node dist/test/sim/main.js

compare: build ## what the cases of fixtures/format do on Dagu; exit code 1 when a difference has no reason in docs/decisions.md
	node dist/test/compare/main.js

clean:
	rm -rf dist
