# Two commands are enough: `make run` to try it, `make test` to prove it. Both need Node 20.19 or newer, npm, make and a C compiler.
# D1635: the lock file says what is installed, and `npm ci` checks that it is that of package.json
NODE_MODULES := node_modules/.package-lock.json
# Not in .mocharc.json: mocha would run all of them beside the file that it is given.
TESTS := 'dist/test/**/*.test.js'

NATIVE := --no-print-directory -C src/executors/launcher/native

FAULTS := fault-kill fault-points fault-secrets fuzz-yaml fault-io fault-proc fault-store fault-net fault-workers fault-lost

.PHONY: run test test-long test-one types setup build docs launchers lint golden bench compare check clean $(FAULTS) replay record race models bench-executors bench-page pictures bench-testing bench-watching bench-workers bench-functions bench-types bench-access bench-audit soak-workers sim fuzz-api release-check

# D1651: after an edit esbuild transpiles what is newer, and tsc writes it again
test-one: $(NODE_MODULES) ## one file or folder of tests after an edit, without waiting for types: F=test/machines/run.test.ts, G=title, WATCH=1 after each edit
	@node test/one.mjs $(F) $(if $(G),-g '$(G)') $(if $(WATCH),--watch)

types: setup ## types of what is edited, after each edit: beside `make test-one`
	node_modules/.bin/tsc -b --watch --preserveWatchOutput

# D436: `make run` uses the home that commands use
run: build ## server and scheduler on 127.0.0.1:8080 with the example workflows, on the home of all commands (ENGINE_HOME)
	node dist/bin/troupe.js start-all --dags fixtures/examples

test: check ## install, build, lint, all tests

# D1654: `make test` plays a part of the long suites, `make test-long` all of them
test-long: ## all tests, with all of the long suites, of which `make test` plays a part; before a release
	TESTS=all $(MAKE) test

check: build lint
	node dist/test/all.js

setup: $(NODE_MODULES)
$(NODE_MODULES): package.json package-lock.json
	@npm ci --dry-run --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null # D1635: where package.json names others, npm install would take new versions
	npm install --no-save --ignore-scripts --no-audit --no-fund # changes what differs, where `npm ci` removes everything first
	@touch $@

build: setup
	node_modules/.bin/tsc -b
	node src/executors/fence/copy.mjs
	@$(MAKE) $(NATIVE) build
	node src/page/bundle.mjs
	node src/host/bundle.mjs
	node src/cli/program/bundle.mjs
	node src/site/build.mjs

# D1535: the build makes the site, and the package has it
docs: setup ## the documentation in dist/docs-site, which a server has at /docs; see src/site/README.md
	node_modules/.bin/tsc -b
	node src/site/build.mjs

launchers: ## the static binaries of the package, with Debian's cross compilers and musl; see src/executors/launcher/native/README.md
	@$(MAKE) $(NATIVE) launchers

lint: setup
	node_modules/.bin/biome check --error-on-warnings .

golden: build ## record golden files again; review the difference
	UPDATE_GOLDEN=1 node_modules/.bin/mocha $(TESTS)

bench: build ## figures, beside Dagu where it can be had; see test/bench/README.md
	node dist/test/bench/main.js
	node dist/test/bench/executors.js
	node dist/test/bench/watching.js
	node dist/test/bench/page/main.js
	node dist/test/bench/testing/months.js

bench-page: build ## the web page with 1,000 nodes, 10,000 runs, a log of 1,000,000 lines, a grid of 35 x 50, beside what each figure may be at most; ONLY=log
	node dist/test/bench/page/main.js

pictures: build ## the pictures of the README, made anew from real runs
	node dist/test/support/page/pictures.js

bench-testing: build ## what a month costs on troupe/testing, beside what each figure may be at most
	node dist/test/bench/testing/months.js

bench-access: build ## what the check of a key, of roles and of rules costs a request, beside what it may be at most
	node dist/test/bench/access.js

bench-audit: build ## what the audit log costs a start, beside what it may be at most
	node dist/test/bench/audit/audit.js

bench-watching: build ## what watching costs, and the web page with a run of 1,000 nodes, beside what each figure may be at most
	node dist/test/bench/watching.js
	node dist/test/bench/page/main.js

bench-executors: build ## what a step of each executor costs beyond its work
	node dist/test/bench/executors.js

sim: build ## SEEDS lives of scheduler, queues and retention, and as many of workers, on a virtual clock; SEED repeats one. See test/sim/README.md
	node dist/test/sim/main.js

fuzz-api: build ## requests made of the OpenAPI document, valid and hostile; REQUESTS (50000), SEED; one line of JSON, exit code 1 when something is found
	node --enable-source-maps dist/test/fuzz/main.js

compare: build ## what the cases of fixtures/format do on Dagu; exit code 1 when a difference is not in docs/decisions/dagu.md
	node dist/test/compare/main.js

bench-functions: build ## function steps a second, beside bare XState, OpenWorkflow (BENCH_NODE: a Node 22), DBOS (POSTGRES_URL) and BullMQ (REDIS_URL); what runs that wait keep in memory
	node dist/test/bench/functions/functions.js
	node dist/test/bench/functions/waiting-runs.js

bench-types: build ## what the types of definitions in code cost the compiler of a host, beside what each figure may be at most
	node dist/test/bench/types/types.js

bench-workers: build ## what a step on a worker costs beside one of the server itself
	node dist/test/bench/workers/workers.js

soak-workers: build ## MINUTES (30) of RATE (20) runs a second on three workers, while everything is killed at random; SEED; one line of JSON
	node dist/test/faults/workers/soak.js

$(FAULTS): build ## things are made to break: SEED=1 repeats, N=50 is the size; one line of JSON, see test/faults/README.md
	node dist/test/faults/main.js $@

replay: build ## what earlier releases have stored, read and gone on with by this one
	node_modules/.bin/mocha dist/test/store/releases.test.js

models: build ## the charts walked all the way, of which `make test` takes a part; UPDATE_GOLDEN=1 records the ways it follows
	WALKS=all node_modules/.bin/mocha 'dist/test/machines/**/*.test.js'

record: build launchers ## what this release stores, and its program, once for each version, for later ones to read and to follow
	node dist/test/store/record-release.js
	node dist/test/support/releases/record-program.js

release-check: build ## what must hold before a release is published; leaves tarball and SBOM in dist/release; JSON=1: one line. See test/release/README.md
	@node dist/test/release/main.js

race: build ## clients race for the same names and ids; ROUNDS, SEED, CLIENTS, ONLY: see test/races/README.md
	@node dist/test/races/main.js

clean:
	rm -rf dist
