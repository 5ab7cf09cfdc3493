# Everything is done from here; `make help` lists it. The first command sets up .venv by itself.

.DEFAULT_GOAL := help
SHELL := /bin/sh
BIN := .venv/bin
READY := .venv/.ready
POSTGRES_15 := /usr/lib/postgresql/15/bin

.PHONY: help run test check lint types imports coverage format lock explore bench bench-calendar bench-api bench-engine bench-nodes bench-queues bench-portal settings-reference screenshots chaos hostile clean

help:  ## list the commands
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 20

run: $(READY)  ## set up, and start a server on http://127.0.0.1:8080
	@$(BIN)/foliot serve

test: $(READY)  ## the tests a contributor runs all day: unit, property, engine in virtual time, store, API and portal in process
	$(BIN)/pytest tests/unit tests/property tests/api tests/portal tests/engine tests/contract/store tests/contract/wire tests/contract/clients -k "not postgres"

check: lint types imports coverage  ## everything that must pass

lint: $(READY)  ## style and formatting
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: $(READY)  ## static types
	$(BIN)/basedpyright

imports: $(READY)  ## who may import whom
	$(BIN)/lint-imports

coverage: $(READY)  ## all the tests, API and engine on both databases, with branch coverage and its floor; the store and nodes also on PostgreSQL 15
	HYPOTHESIS_PROFILE=check FOLIOT_TEST_HISTORIES=2000 $(BIN)/pytest --cov --cov-report= --cov-fail-under=0
	if [ -x $(POSTGRES_15)/initdb ]; then FOLIOT_TEST_POSTGRES_PROGRAMS=$(POSTGRES_15) $(BIN)/pytest -k "not sqlite" \
		tests/contract/store tests/nodes --ignore=tests/nodes/test_balancer.py --ignore=tests/nodes/test_pooler.py; fi
	FOLIOT_TEST_STORE=postgres FOLIOT_TEST_HISTORIES=320 $(BIN)/pytest tests/engine tests/api --cov --cov-append --cov-report=term

format: $(READY)  ## format the code and fix what can be fixed
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

lock: $(READY)  ## bring requirements.lock up to date with pyproject.toml
	$(BIN)/uv pip compile pyproject.toml --group dev --universal --python-version 3.11 --upgrade \
		--generate-hashes --no-annotate --custom-compile-command "make lock" \
		--quiet --output-file requirements.lock

explore: $(READY)  ## look for counterexamples to the calendar's properties for some minutes
	HYPOTHESIS_PROFILE=explore $(BIN)/pytest tests/property -p no:randomly

bench: bench-calendar bench-api bench-engine bench-nodes bench-queues bench-portal  ## all the measurements

chaos: $(READY)  ## break real servers in every way for 50 minutes: docs/proof/chaos*.md; ONLY=sqlite, ONLY=postgres, or ONLY=kill for one scenario
	$(BIN)/python -m chaos $(if $(ONLY),--only $(ONLY)) $(if $(SEED),--seed $(SEED))

hostile: $(READY)  ## attack real servers as outsiders would for a quarter of an hour: docs/proof/hostile.md; ONLY=callers for one part, ONLY=smuggling for one attack
	$(BIN)/python -m hostile $(if $(ONLY),--only $(ONLY)) $(if $(SEED),--seed $(SEED))

bench-calendar: $(READY)  ## next occurrences per second beside cronsim and dateutil, as JSON
	$(BIN)/python bench/bench_calendar.py

bench-api: $(READY)  ## requests per second of a real server beside its own ceiling, as JSON
	$(BIN)/python bench/bench_api.py

bench-engine: $(READY)  ## herd, steady load and a million jobs beside a bare loop, as JSON (PART=herd, ROUNDS=1)
	$(BIN)/python bench/bench_engine.py $(PART) $(if $(ROUNDS),--rounds $(ROUNDS))

bench-nodes: $(READY)  ## herd, steady load and claims with nodes on one PostgreSQL, as JSON (PART=herd, ROUNDS=1, RATE=500, MINUTES=30)
	PYTHONPATH=. $(BIN)/python bench/bench_nodes.py $(PART) $(if $(ROUNDS),--rounds $(ROUNDS)) \
		$(if $(RATE),--rate $(RATE)) $(if $(MINUTES),--minutes $(MINUTES))

bench-queues: $(READY)  ## messages per second beside Microsoft's own clients, as JSON
	PYTHONPATH=. $(BIN)/python bench/bench_queues.py

bench-portal: $(READY)  ## milliseconds for each page with 100,000 jobs and a million history rows, as JSON
	$(BIN)/python bench/bench_portal.py

settings-reference: $(READY)  ## write docs/reference/settings.md from the table of settings
	$(BIN)/python -m foliot.serve.settings.reference > docs/reference/settings.md

screenshots: $(READY)  ## pictures of the portal's pages into docs/screenshots; needs chromium
	$(BIN)/python -m tests.browser.screenshots

clean:  ## remove what the commands above made
	rm -rf .venv .coverage .hypothesis .pytest_cache .ruff_cache .import_linter_cache

$(READY): pyproject.toml requirements.lock tools/setup tools/find-uv
	@tools/setup
	@touch $@
