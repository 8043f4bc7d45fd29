"""What deployments/ says is what the code is called."""

import re
import shlex
import tomllib
from importlib import import_module
from pathlib import Path

import pytest
import yaml

from stratawatch.config.settings import ScheduleSettings
from tasks import environment

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "deployments"
COMPOSE = yaml.safe_load((FOLDER / "compose.yaml").read_text())
MANIFESTS = [
    found for file in sorted((FOLDER / "kubernetes").glob("*.yaml")) for found in yaml.safe_load_all(file.read_text())
]
PODS = [found["spec"]["template"]["spec"] for found in MANIFESTS if found["kind"] == "Deployment"]
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
        container["command"]
        for container in [*COMPOSE["services"].values(), *(c for pod in PODS for c in pod["containers"])]
        if "command" in container
    ]


class TestServices:
    def test_there_is_something_to_look_at(self):
        assert len(UNITS) == 2
        assert len(commands()) >= 4

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

    def test_nothing_composed_can_write_its_image_or_gain_a_right(self):
        for service in COMPOSE["services"].values():
            assert service["read_only"] is True
            assert service["cap_drop"] == ["ALL"]
            assert service["security_opt"] == ["no-new-privileges:true"]

    def test_no_pod_can_write_its_image_gain_a_right_or_ask_the_cluster(self):
        assert len(PODS) == 2
        for pod in PODS:
            assert pod["automountServiceAccountToken"] is False
            assert pod["securityContext"]["runAsNonRoot"] is True
            for container in pod["containers"]:
                confined = container["securityContext"]
                assert confined["readOnlyRootFilesystem"] is True
                assert confined["allowPrivilegeEscalation"] is False
                assert confined["capabilities"] == {"drop": ["ALL"]}

    def test_everybody_gets_ten_seconds_to_end(self):
        assert all("TimeoutStopSec=10\n" in unit.read_text() for unit in UNITS)
        assert {service["stop_grace_period"] for service in COMPOSE["services"].values()} == {"10s"}
        assert {pod["terminationGracePeriodSeconds"] for pod in PODS} == {10}

    def test_pods_and_services_run_as_the_user_of_the_image(self):
        user = re.search(r"^USER (\d+):(\d+)$", (FOLDER / "Dockerfile").read_text(), flags=re.MULTILINE)
        assert {(str(p["securityContext"]["runAsUser"]), str(p["securityContext"]["fsGroup"])) for p in PODS} == {
            user.groups()
        }

    def test_what_the_image_leaves_out_is_what_developers_use_and_spark(self):
        project = tomllib.loads((ROOT / "pyproject.toml").read_text())
        dev = {re.split(r"[\[<>=;]", name)[0] for name in project["dependency-groups"]["dev"]}
        [left_out] = re.findall(r'LEAVE_OUT="([^"]*)"', (FOLDER / "Dockerfile").read_text())
        names = set(left_out.replace("\\", " ").split())
        assert dev - {"setuptools", "pyyaml"} <= names  # the image builds with the one, Prefect needs the other
        spark = {"pyspark", "py4j", "grpcio", "grpcio-status", "googleapis-common-protos", "protobuf", "zstandard"}
        delta = {"deltalake", "arro3-core", "deprecated", "wrapt"}
        iceberg = {"pyiceberg", "mmh3", "pyroaring", "strictyaml", "tenacity"}
        assert names - dev == {*spark, *delta, *iceberg, "mkdocstrings-python"}

    def test_the_example_agrees_with_what_the_code_sets_by_itself(self):
        shared = set(ENVIRONMENT) & set(environment.DEFAULTS)
        assert "PREFECT_SERVER_ANALYTICS_ENABLED" in shared
        assert {name: ENVIRONMENT[name] for name in shared} == {name: environment.DEFAULTS[name] for name in shared}

    def test_a_servers_history_has_the_end_that_the_configuration_has_by_default(self):
        seconds = ENVIRONMENT["PREFECT_SERVER_SERVICES_DB_VACUUM_RETENTION_PERIOD"]
        assert float(seconds) == ScheduleSettings().keep_runs.total_seconds()

    def test_no_secret_is_written_down(self):
        assert [name for name in ("STRATAWATCH_DB_PASSWORD", "OPS_HOOK") if ENVIRONMENT[name]] == []
