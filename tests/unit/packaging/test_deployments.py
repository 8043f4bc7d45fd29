"""What deployments/ says is what the code is called."""

import re
import shlex
from importlib import import_module
from inspect import signature
from pathlib import Path

import pytest
import yaml
from prefect import Flow

from flows.stale_runs import HEARTBEAT, TAG
from stratawatch.config.settings import ScheduleSettings
from tasks import environment

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "deployments"
PREFECT = yaml.safe_load((FOLDER / "prefect.yaml").read_text())
COMPOSE = yaml.safe_load((FOLDER / "compose.yaml").read_text())
UNITS = sorted((FOLDER / "systemd").glob("*.service"))
ENVIRONMENT = dict(
    line.split("=", 1)
    for line in (FOLDER / "stratawatch.env.example").read_text().splitlines()
    if line and not line.startswith("#")
)


def loaded(entrypoint: str) -> Flow:
    module, _, name = entrypoint.rpartition(".")
    return getattr(import_module(module), name)


def commands() -> list[list[str]]:
    """Every command of the units and the compose file, as words."""
    units = [re.findall(r"^ExecStart=(.*)$", unit.read_text(), flags=re.MULTILINE) for unit in UNITS]
    return [shlex.split(line) for lines in units for line in lines] + [
        service["command"] for service in COMPOSE["services"].values() if "command" in service
    ]


@pytest.mark.parametrize("deployment", PREFECT["deployments"], ids=lambda deployment: deployment["name"])
class TestPrefectYaml:
    def test_its_entrypoint_is_a_flow_of_the_same_name(self, deployment):
        assert isinstance(loaded(deployment["entrypoint"]), Flow)
        assert loaded(deployment["entrypoint"]).name == deployment["name"]

    def test_it_hands_over_only_parameters_that_the_flow_has(self, deployment):
        assert set(deployment["parameters"]) <= set(signature(loaded(deployment["entrypoint"]).fn).parameters)

    def test_it_has_the_schedule_that_the_configuration_has_by_default(self, deployment):
        if deployment["name"] == "measure-baseline":  # a schedule would let it follow what it is to show
            assert deployment["schedules"] == []
            return
        key = deployment["name"].replace("-cycles", "").removeprefix("weekly-") + "_cron"
        [schedule] = deployment["schedules"]
        assert schedule == {"cron": getattr(ScheduleSettings(), key), "timezone": "UTC"}

    def test_runs_never_overlap_and_stale_ones_are_found(self, deployment):
        assert deployment["concurrency_limit"] == {"limit": 1, "collision_strategy": "CANCEL_NEW"}
        assert TAG in deployment["tags"]

    def test_every_variable_it_reads_is_in_the_example(self, deployment):
        read = set(re.findall(r"\{\{ \$(\w+) \}\}", yaml.safe_dump(deployment)))
        assert read
        assert read <= set(ENVIRONMENT)


class TestPrefectYamlAsAWhole:
    def test_it_deploys_every_flow(self):
        names = {deployment["name"] for deployment in PREFECT["deployments"]}
        assert names == {"open-cycles", "advance-cycles", "weekly-report", "measure-baseline"}


class TestServices:
    def test_there_is_something_to_look_at(self):
        assert len(UNITS) == 2
        assert len(commands()) >= 3

    @pytest.mark.parametrize("command", commands(), ids=" ".join)
    def test_every_module_that_is_started_exists(self, command):
        if "-m" in command:
            assert callable(import_module(command[command.index("-m") + 1]).main)
        else:
            assert command[0].endswith("prefect")
            assert command[1:3] == ["server", "start"]

    def test_servers_listen_on_loopback_or_inside_the_composed_network_only(self):
        for unit in UNITS:
            assert "--host 127.0.0.1" in unit.read_text() or "server" not in unit.read_text()
        assert [p for s in COMPOSE["services"].values() for p in s.get("ports", []) if "127.0.0.1" not in p] == []

    def test_the_example_agrees_with_what_the_code_sets_by_itself(self):
        shared = set(ENVIRONMENT) & set(environment.DEFAULTS)
        assert "PREFECT_SERVER_ANALYTICS_ENABLED" in shared
        assert {name: ENVIRONMENT[name] for name in shared} == {name: environment.DEFAULTS[name] for name in shared}

    def test_a_work_pools_runs_have_the_heartbeat_that_the_automation_listens_for(self):
        assert float(ENVIRONMENT["PREFECT_FLOWS_HEARTBEAT_FREQUENCY"]) == HEARTBEAT.total_seconds()

    def test_no_secret_is_written_down(self):
        assert [name for name in ("STRATAWATCH_DB_PASSWORD", "OPS_HOOK") if ENVIRONMENT[name]] == []
