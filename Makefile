# Everything is done from here; `make help` lists it. The first command sets up .venv by itself.

.DEFAULT_GOAL := help
SHELL := /bin/sh
BIN := .venv/bin
READY := .venv/.ready
RUN_READY := .venv/.ready-to-run
POSTGRES_15 := /usr/lib/postgresql/15/bin

.PHONY: help run test check lint types imports coverage format lock histories explore bench bench-calendar bench-api bench-engine bench-nodes bench-queues bench-portal bench-runs bench-metrics bench-profile settings-reference command-reference policy-pictures screenshots drawings week-picture api-reference site chaos hostile clean

help:  ## list the commands
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 20

run: $(RUN_READY)  ## set up what a server needs, and start one on http://127.0.0.1:8080
	@echo "For commands, in another terminal and in this directory: . $(BIN)/activate"
	@$(BIN)/foliot serve

test: $(READY)  ## the tests a contributor runs all day: unit, property, engine in virtual time, store, API and portal in process
	HYPOTHESIS_PROFILE=quick FOLIOT_TEST_HISTORIES=64 FOLIOT_TEST_POLICY_HISTORIES=32 $(BIN)/pytest -k "not postgres" \
		tests/unit tests/property tests/api tests/portal tests/engine tests/contract/store tests/contract/wire tests/contract/clients

check: lint types imports coverage  ## everything that must pass

lint: $(READY)  ## style and formatting
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: $(READY)  ## static types
	$(BIN)/basedpyright

imports: $(READY)  ## who may import whom
	$(BIN)/lint-imports

coverage: $(READY)  ## all the tests, API and engine on both databases, with branch coverage and its floor; the store and nodes also on PostgreSQL 15
	HYPOTHESIS_PROFILE=check FOLIOT_TEST_HISTORIES=2000 FOLIOT_TEST_POLICY_HISTORIES=320 $(BIN)/pytest --cov --cov-report= --cov-fail-under=0
	if [ -x $(POSTGRES_15)/initdb ]; then FOLIOT_TEST_POSTGRES_PROGRAMS=$(POSTGRES_15) $(BIN)/pytest -k "not sqlite" \
		tests/contract/store tests/nodes --ignore=tests/nodes/test_balancer.py --ignore=tests/nodes/test_pooler.py; fi
	FOLIOT_TEST_STORE=postgres FOLIOT_TEST_HISTORIES=320 FOLIOT_TEST_POLICY_HISTORIES=64 $(BIN)/pytest tests/engine tests/api --cov --cov-append --cov-report=term

format: $(READY)  ## format the code and fix what can be fixed
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

COMPILE = $(BIN)/uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes \
	--no-annotate --custom-compile-command "make lock" --quiet

lock: $(READY)  ## bring requirements.lock, and requirements-run.lock with the same versions, up to date with pyproject.toml
	$(COMPILE) --group dev --extra otel --upgrade --output-file requirements.lock
	$(COMPILE) --group build --constraint requirements.lock --output-file requirements-run.lock

histories: $(READY)  ## 2,000 random histories each: the ledger against calendars and targets, the engine against the model of policies
	FOLIOT_TEST_POLICY_HISTORIES=2000 $(BIN)/pytest tests/engine/test_ledger_histories.py tests/engine/test_days_off_histories.py tests/engine/test_policy_model.py --show-capture=no

explore: $(READY)  ## look for counterexamples to the calendar's properties for some minutes
	HYPOTHESIS_PROFILE=explore $(BIN)/pytest tests/property -p no:randomly

bench: bench-calendar bench-api bench-engine bench-nodes bench-queues bench-portal bench-runs bench-metrics  ## all the measurements

site: $(READY)  ## the documents as a site that works without a network: build/site/index.html
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --config-file site/mkdocs.yml
	@echo "Open build/site/index.html"

drawings: $(READY)  ## pictures of the drawings in the documents into docs/pictures, for the site; needs chromium and npm
	$(BIN)/python -m tests.browser.drawings

chaos: $(READY)  ## break real servers in every way for 50 minutes: docs/proof/chaos*.md; ONLY=sqlite, ONLY=postgres, or ONLY=kill for one scenario
	$(BIN)/python -m chaos $(if $(ONLY),--only $(ONLY)) $(if $(SEED),--seed $(SEED))

hostile: $(READY)  ## attack real servers as outsiders would for a quarter of an hour: docs/proof/hostile.md; ONLY=callers for one part, ONLY=smuggling for one attack
	$(BIN)/python -m hostile $(if $(ONLY),--only $(ONLY)) $(if $(SEED),--seed $(SEED))

bench-calendar: $(READY)  ## next occurrences per second beside cronsim and dateutil, as JSON
	$(BIN)/python bench/bench_calendar.py

bench-api: $(READY)  ## requests per second of a real server beside its own ceiling, as JSON
	$(BIN)/python bench/bench_api.py $(PART)

bench-engine: $(READY)  ## herd, steady load and a million jobs beside a bare loop, as JSON (PART=herd, ROUNDS=1)
	$(BIN)/python bench/bench_engine.py $(PART) $(if $(ROUNDS),--rounds $(ROUNDS))

bench-nodes: $(READY)  ## herd, steady load and claims with nodes on one PostgreSQL, as JSON (PART=herd, ROUNDS=1, RATE=500, MINUTES=30)
	PYTHONPATH=. $(BIN)/python bench/bench_nodes.py $(PART) $(if $(ROUNDS),--rounds $(ROUNDS)) \
		$(if $(RATE),--rate $(RATE)) $(if $(MINUTES),--minutes $(MINUTES))

bench-queues: $(READY)  ## messages per second beside Microsoft's own clients, as JSON
	PYTHONPATH=. $(BIN)/python bench/bench_queues.py

bench-portal: $(READY)  ## milliseconds for each page with 100,000 jobs and ten million runs, in the server and in chromium, as JSON (RUNS=1000000, ONLY=timeline, KEEP=directory)
	PYTHONPATH=. $(BIN)/python bench/bench_portal.py $(if $(RUNS),--runs $(RUNS)) $(if $(ONLY),--only "$(ONLY)") $(if $(KEEP),--keep "$(KEEP)")

bench-runs: $(READY)  ## database time of pages of runs among ten million on both databases, as JSON (RUNS=1000000, ROUNDS=5)
	PYTHONPATH=. $(BIN)/python bench/bench_runs.py $(if $(RUNS),--runs $(RUNS)) $(if $(ROUNDS),--rounds $(ROUNDS))

bench-profile: $(READY)  ## where the microseconds of an occurrence go, as JSON and as docs/pictures/occurrence-time.svg; needs the right to trace
	$(BIN)/python bench/bench_profile.py --picture docs/pictures/occurrence-time.svg

bench-metrics: $(READY)  ## microseconds that metrics and traces cost each attempt, milliseconds of a scrape with 100,000 jobs, as JSON (ROUNDS=5)
	PYTHONPATH=. $(BIN)/python bench/bench_metrics.py $(if $(ROUNDS),--rounds $(ROUNDS))

settings-reference: $(READY)  ## write docs/reference/settings.md from the table of settings
	$(BIN)/python -m foliot.serve.settings.reference > docs/reference/settings.md

policy-pictures: $(READY)  ## timelines of jobs under each policy into docs/pictures, as the engine runs them in virtual time
	$(BIN)/python -m tests.support.policy_timelines

week-picture: $(READY)  ## a week of runs into docs/pictures/week.svg, as the engine runs them in virtual time
	$(BIN)/python -m tests.support.week_picture 2> /dev/null

command-reference: $(READY)  ## write docs/reference/command-line.md from the commands
	$(BIN)/python -m foliot.cli.remote.reference > docs/reference/command-line.md

api-reference: $(READY)  ## write docs/reference/rest.md and errors.md from the description of the API and the table of errors
	$(BIN)/python -m foliot.api.openapi.reference > docs/reference/rest.md
	$(BIN)/python -m foliot.api.openapi.error_codes > docs/reference/errors.md

screenshots: $(READY)  ## pictures of the portal's pages into docs/screenshots; needs chromium
	$(BIN)/python -m tests.browser.screenshots

clean:  ## remove what the commands above made
	rm -rf .venv build .coverage .hypothesis .pytest_cache .ruff_cache .import_linter_cache

$(READY): pyproject.toml requirements.lock tools/setup tools/find-uv
	@tools/setup
	@touch $@ $(RUN_READY)

$(RUN_READY): pyproject.toml requirements-run.lock tools/setup
	@tools/setup run
	@touch $@
