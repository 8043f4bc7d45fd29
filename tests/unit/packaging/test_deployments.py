"""What deployments/ says is what the code is called."""

import re
import shlex
from importlib import import_module
from pathlib import Path

import pytest
import yaml

from flows.stale_runs import HEARTBEAT
from stratawatch.config.settings import ScheduleSettings
from tasks import environment

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "deployments"
COMPOSE = yaml.safe_load((FOLDER / "compose.yaml").read_text())
UNITS = sorted((FOLDER / "systemd").glob("*.service"))
ENVIRONMENT = dict(
    line.split("=", 1)
    for line in (FOLDER / "stratawatch.env.example").read_text().splitlines()
    if line and not line.startswith("#")
)


def commands() -> list[list[str]]:
    """Every command of the units and the compose file, as words."""
    units = [re.findall(r"^ExecStart=(.*)$", unit.read_text(), flags=re.MULTILINE) for unit in UNITS]
    return [shlex.split(line) for lines in units for line in lines] + [
        service["command"] for service in COMPOSE["services"].values() if "command" in service
    ]


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

    def test_a_servers_history_has_the_end_that_the_configuration_has_by_default(self):
        seconds = ENVIRONMENT["PREFECT_SERVER_SERVICES_DB_VACUUM_RETENTION_PERIOD"]
        assert float(seconds) == ScheduleSettings().keep_runs.total_seconds()

    def test_no_secret_is_written_down(self):
        assert [name for name in ("STRATAWATCH_DB_PASSWORD", "OPS_HOOK") if ENVIRONMENT[name]] == []
