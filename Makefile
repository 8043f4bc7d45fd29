# Every target sets up what it needs: uv (yours, or one in .uv/), Python 3.11 in .venv/, the packages of
# requirements.lock by hash, and this project in editable form. A stamp makes the second time instant.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

PYTHON ?= 3.11
CONFIG ?= stratawatch.toml
NAME ?= demo_worlds
QUEUE ?= folder
SCENE ?= flows
# Test processes beside one another, one more than processors, as tests wait for servers; ARGS=-n0 runs everything in one.
WORKERS ?= $(shell echo $$(( $$(nproc 2>/dev/null || sysctl -n hw.ncpu) + 1 )))

UV := $(or $(shell command -v uv 2>/dev/null),.uv/bin/uv)
BIN := .venv/bin
STAMP := .venv/.set-up
BEGUN := .prefect/begun/prefect.db

# A slow mirror is not a failure; a second BLAS thread on a small machine is only noise.
export UV_HTTP_TIMEOUT ?= 180
export OMP_NUM_THREADS ?= 1
# Compiled modules are kept: the tests start Python a hundred times, and compiling Prefect anew takes seconds.
export PYTHONDONTWRITEBYTECODE :=
# Prefect's own files stay in the project, and nothing is reported to anyone.
export PREFECT_HOME ?= $(CURDIR)/.prefect
export PREFECT_SERVER_ANALYTICS_ENABLED := false
export DO_NOT_TRACK := 1

.PHONY: help demo test test-all test-drills test-pooled test-long test-live test-floor test-newest licences lint types contracts docs bench bench-quick chaos-quick up rehearsal deployments image lock format clean

help:  ## Say what there is.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' Makefile

demo: $(STAMP) $(BEGUN)  ## Ten simulated weeks, from predictions to the page that fires; QUEUE=page or label_studio labels them there, SCENE=notebook studies two.
	@start=$$SECONDS; $(BIN)/python -m flows.demo --queue $(QUEUE) --scene $(SCENE); echo "run, start-up included: $$((SECONDS - start)) s"

# Prefect's tables take seconds to make. An empty database of the locked version is made once, and the demo copies it.
$(BEGUN): $(STAMP)
	@rm -rf $(@D) && mkdir -p $(@D)
	@PREFECT_HOME=$(CURDIR)/$(@D) $(BIN)/prefect server database upgrade --yes >/dev/null

# Stores wait for the disk after every commit. Where memory can be had as a folder, tests write there.
MEMORY := $(shell df -Pk /dev/shm 2>/dev/null | awk 'NR > 1 && $$4 > 4000000 {print "/dev/shm"}')

PYTEST = start=$$SECONDS; $(if $(MEMORY),TMPDIR=$(MEMORY) )$(BIN)/python -m pytest -n $(WORKERS)
SECONDS_TAKEN = echo "run: $$((SECONDS - start)) s" >&2

test: $(STAMP)  ## The tests of minutes, without Java; ARGS="-n0 -k name" picks, in one process.
	@$(PYTEST) --ignore=tests/contracts/sources --ignore=tests/unit/literature $(ARGS); $(SECONDS_TAKEN)

test-all: $(STAMP)  ## Flows, Spark, statistics and benchmarks too; CI runs it, and drills.
	@$(PYTEST) -o testpaths=tests --ignore=tests/drills --ignore=tests/live --ignore=tests/long --ignore=tests/pooled $(ARGS); $(SECONDS_TAKEN)

test-drills: $(STAMP)  ## Restores, upgrades, panels' lives and the server of flows, played through.
	@$(PYTEST) -o testpaths=tests/drills $(ARGS); $(SECONDS_TAKEN)

test-pooled: $(STAMP)  ## The store's contract behind PgBouncer, which Debian has.
	@export TEST_PGBOUNCER=1; $(PYTEST) -o testpaths="tests/pooled tests/contracts/store tests/drills/store" $(ARGS); $(SECONDS_TAKEN)

# What tests of live services need of Debian, as program:package. What they need of Python: the servers.txt there.
LIVE_PROGRAMS := chromium:chromium redis-server:redis-server rabbitmqctl:rabbitmq-server prometheus-alertmanager:prometheus-alertmanager amtool:prometheus-alertmanager prometheus:prometheus promtool:prometheus

test-live: $(STAMP) .venv-live/.set-up .venv-mlflow/.set-up .venv-label-studio/begun/.env  ## Adapters against real servers, which it installs and starts.
	@export PATH=$$PATH:/usr/sbin; missing=(); for program in $(LIVE_PROGRAMS); do \
		command -v $${program%:*} >/dev/null || missing+=($${program#*:}); done; \
	if (($${#missing[@]})); then \
		test $$(id -u) = 0 || { echo "test-live: install these packages first: $${missing[*]}" >&2; exit 1; }; \
		apt-get -qq update </dev/null; apt-get -qq install -y --no-install-recommends "$${missing[@]}" </dev/null; fi
	@export TEST_LIVE=1; $(PYTEST) -o testpaths="tests/live tests/contracts/queues tests/unit/queues/test_bucket.py" $(ARGS); $(SECONDS_TAKEN)

test-long: $(STAMP)  ## Long Monte Carlo: before a change of the core lands.
	@export HYPOTHESIS_PROFILE=long; $(PYTEST) -o testpaths="tests/long tests/unit/core tests/unit/literature tests/unit/study" $(ARGS); $(SECONDS_TAKEN)

# The tests of `make test` in an environment of its own: with the lowest versions that pyproject.toml allows, or the newest.
test-floor: RESOLUTION = --resolution lowest-direct
test-newest: RESOLUTION = --upgrade
test-floor: | $(UV)  ## The tests of `make test` with the lowest versions that pyproject.toml allows.
test-newest: | $(UV)  ## The tests of `make test` with the newest versions that pyproject.toml allows.
test-floor test-newest:
	@$(UV) venv --quiet --clear --python $(PYTHON) .venv-$@
	@mkdir -p build
	@$(UV) pip compile pyproject.toml --all-extras --group dev --python-version $(PYTHON) $(RESOLUTION) --no-header \
		--no-annotate --quiet --output-file build/$@.txt
	@$(UV) pip sync --quiet --python .venv-$@/bin/python build/$@.txt
	@$(UV) pip install --quiet --python .venv-$@/bin/python --no-deps --no-build-isolation --editable .
	@$(subst $(BIN)/,.venv-$@/bin/,$(PYTEST)) --ignore=tests/contracts/sources --ignore=tests/unit/literature \
		--ignore=tests/unit/packaging $(ARGS); $(SECONDS_TAKEN)

licences: $(STAMP)  ## The licences of what is installed, an SBOM, and a failure for one that is not allowed.
	@$(BIN)/python .ci/licences.py build/sbom.cdx.json

lint: $(STAMP)  ## Ruff, as linter and as formatter.
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

types: $(STAMP)  ## mypy, strict.
	@$(BIN)/mypy

contracts: $(STAMP)  ## Who may import whom.
	@$(BIN)/lint-imports

docs: $(STAMP)  ## The pages of docs/ and the API, into site/; a link that leads nowhere fails.
	@start=$$SECONDS; NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict 2>&1 | { grep -v "^INFO" || true; }; \
	echo "site/index.html: $$((SECONDS - start)) s"

bench: $(STAMP)  ## One benchmark: NAME=demo_worlds ARGS=--quick.
	@start=$$SECONDS; $(BIN)/python -m benchmarks.$(NAME) $(ARGS); echo "run: $$((SECONDS - start)) s"

# labels and stream are in neither list: they need real data (--data). Benchmarks of seconds run one by one, and the first that
# does not hold ends it; of the others two run at once, to the last one, those that take longest first.
TIMED = solver study scan panels years dashboard label_flood soak
COUNTED = alarms chaos cold_goals forecasts papers coverage demo_worlds alert_faults engines high_fractions by_metric moved weeks_together missing_answers label_error second_votes agreement

bench-quick: $(STAMP)  ## The short form of every benchmark that needs no data; each must hold.
	@start=$$SECONDS; \
	quick() { local begun=$$SECONDS; $(BIN)/python -m benchmarks.$$1 --quick || return; echo "$$1: $$((SECONDS - begun)) s" >&2; }; \
	whole() { local said status=0; said=$$(quick $$1 2>&1) || { status=1; said+=$$'\n'"$$1: does not hold"; }; printf '%s\n' "$$said"; return $$status; }; \
	export -f quick whole; \
	for name in $(TIMED); do quick $$name; done; \
	printf '%s\n' $(COUNTED) | xargs -P 2 -I{} bash -c 'whole {}'; $(SECONDS_TAKEN)

# The folder's is among the benchmarks in short, and dies everywhere else too. Label Studio takes minutes: test-live has
# its deaths.
chaos-quick: $(STAMP)  ## Processes killed where they write to a queue, for four kinds of queue.
	@start=$$SECONDS; for queue in page bucket webhook broker; do \
		begun=$$SECONDS; PATH=$$PATH:/usr/sbin $(BIN)/python -m benchmarks.chaos --queue $$queue --writes-only || exit 1; \
		echo "$$queue: $$((SECONDS - begun)) s" >&2; \
	done; $(SECONDS_TAKEN)

up: $(STAMP)  ## Serve all flows on their schedules; starts a local Prefect server when none answers.
	@$(BIN)/python -m flows.up --config $(CONFIG)

rehearsal: $(STAMP)  ## The product up, killed, restored and ended on this machine; rehearsal-out/transcript.txt.
	@start=$$SECONDS; $(BIN)/python -m deployments.rehearsal; $(SECONDS_TAKEN)

deployments: .checkers/.set-up  ## Check the compose file, the manifests and the units (needs systemd-analyze).
	@.checkers/bin/check-jsonschema --builtin-schema vendor.compose-spec deployments/compose.yaml
	@.checkers/bin/kubernetes-validate --strict deployments/kubernetes/*.yaml
	@for unit in deployments/systemd/*.service; do \
		systemd-analyze security --offline=yes --no-pager --threshold=20 $$unit | tail -n 1; done

image:  ## Build the image without a Docker engine and run the program in it (needs root, buildah and mmdebstrap).
	@deployments/build_image.sh $(ARGS)

lock: | $(UV)  ## Resolve the pins of pyproject.toml anew into requirements.lock.
	@$(UV) pip compile pyproject.toml --all-extras --group dev --universal --python-version 3.11 \
		--generate-hashes --no-annotate --no-header --upgrade --quiet --output-file requirements.lock
	@echo "requirements.lock: $$(grep -c '==' requirements.lock) packages"

format: $(STAMP)  ## Let ruff format and mend what it can.
	@$(BIN)/ruff check --fix-only .
	@$(BIN)/ruff format .

clean:  ## Forget the environments and everything that can be made again.
	rm -rf .venv .venv-live .venv-label-studio .venv-mlflow .venv-test-floor .venv-test-newest .checkers .uv .prefect build dist site demo-out rehearsal-out bench-out live-out *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(STAMP): requirements.lock pyproject.toml | $(UV)
	@start=$$SECONDS; echo "set-up: packages of requirements.lock into .venv" >&2; \
	test -x $(BIN)/python || $(UV) venv --quiet --clear --python $(PYTHON) .venv; \
	$(UV) pip sync --quiet --python $(BIN)/python --require-hashes requirements.lock; \
	$(UV) pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .; \
	touch $@; echo "set-up: $$((SECONDS - start)) s" >&2

.uv/bin/uv:
	@echo "set-up: uv into .uv (none on PATH)" >&2
	@python3 -m venv .uv
	@.uv/bin/python -m pip install --quiet 'uv>=0.9,<1'

.checkers/.set-up: deployments/checkers.txt | $(UV)
	@test -x .checkers/bin/python || $(UV) venv --quiet --clear --python $(PYTHON) .checkers
	@$(UV) pip install --quiet --python .checkers/bin/python --requirement deployments/checkers.txt
	@touch $@

.venv-label-studio/begun/.env: .venv-label-studio/.set-up | $(STAMP)
	@$(BIN)/python -m tests.support.label_studio && touch $@

.venv-live/.set-up: tests/live/servers.txt | $(UV)
.venv-label-studio/.set-up: tests/live/label_studio/servers.txt | $(UV)
.venv-mlflow/.set-up: tests/live/mlflow/servers.txt | $(UV)
.venv-live/.set-up .venv-label-studio/.set-up .venv-mlflow/.set-up:
	@$(UV) venv --quiet --clear --python $(PYTHON) $(@D)
	@$(UV) pip sync --quiet --python $(@D)/bin/python $<
	@touch $@
