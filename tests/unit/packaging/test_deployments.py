"""What deployments/ says is what the code is called."""

import os
import re
import shlex
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest
import yaml

from stratawatch.adapters.store import schema_state
from stratawatch.cli.app import app
from stratawatch.config.settings import ScheduleSettings
from tasks import environment
from tests.support.configurations import RIGHT

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


def containers() -> list[dict]:
    """Every container of every pod, those before the others included."""
    return [one for pod in PODS for one in [*pod.get("initContainers", ()), *pod["containers"]]]


def commands() -> list[list[str]]:
    """Every command of the units and the compose file, as words."""
    units = [re.findall(r"^ExecStart=(.*)$", unit.read_text(), flags=re.MULTILINE) for unit in UNITS]
    return [shlex.split(line) for lines in units for line in lines] + [
        container["command"] for container in [*COMPOSE["services"].values(), *containers()] if "command" in container
    ]


def names_in_template() -> list[str]:
    """The environment variables that the template of the configuration refers to, NAME itself left out."""
    text = (ROOT / "stratawatch" / "config" / "template.toml").read_text(encoding="utf-8")
    return [name for name in dict.fromkeys(re.findall(r"\$\{env:(\w+)\}", text)) if name != "NAME"]


def flows_in_compose(**written: str) -> dict[str, str]:
    """The variables of the composed flows where stratawatch.env has these lines beside those of its example."""
    service = COMPOSE["services"]["stratawatch"]
    assert service["env_file"] == ["stratawatch.env"], "the file that --env-file names, from the folder of compose.yaml"
    said = {**ENVIRONMENT, **written}
    own = {
        name: re.sub(r"\$\{(\w+):\?[^}]*\}", lambda found: said[found[1]], value)
        for name, value in service["environment"].items()
    }
    return {**said, **own}


class TestEnvironment:
    @pytest.mark.parametrize("name", names_in_template())
    def test_what_the_template_refers_to_is_in_the_example_and_reaches_the_composed_flows(self, name):
        lines = (FOLDER / "stratawatch.env.example").read_text(encoding="utf-8").splitlines()
        assert {f"{name}=", f"# {name}="} & set(lines)
        assert flows_in_compose(**{name: "a secret"})[name] == "a secret"

    def test_channels_are_among_them(self):
        assert {"OPS_HOOK", "SLACK_HOOK", "PAGERDUTY_KEY", "MAIL_PASSWORD", "APPRISE_URL"} <= set(names_in_template())

    def test_places_of_the_machine_are_not_those_of_the_container(self):
        image = re.findall(r"(\w+)=(\S+)", (FOLDER / "Dockerfile").read_text().partition("ENV PATH")[2])
        found = flows_in_compose()
        assert {name: found[name] for name in ("PREFECT_HOME", "STRATAWATCH_CONFIG")} == {
            name: value for name, value in image if name in ("PREFECT_HOME", "STRATAWATCH_CONFIG")
        }
        places = {name for name, value in ENVIRONMENT.items() if "/" in value} - {"STRATAWATCH_HOME"}  # for the units
        assert places <= set(COMPOSE["services"]["stratawatch"]["environment"])

    def test_every_secret_of_the_namespace_reaches_what_reads_the_configuration(self):
        pod = PODS[1]
        for container in [*pod["initContainers"], *pod["containers"]]:
            assert container["envFrom"] == [{"secretRef": {"name": "stratawatch"}}]
            assert "stratawatch.toml" in [one.get("subPath") for one in container["volumeMounts"]]


class TestStoreOfAPod:
    def test_is_made_before_the_flows_start_and_kept_afterwards(self, tmp_path):
        (store,) = PODS[1]["initContainers"]
        (tmp_path / "stratawatch.toml").write_text(RIGHT, encoding="utf-8")
        program = [str(Path(sys.executable).with_name(store["command"][0])), *store["command"][1:]]
        variables = {**os.environ, "STRATAWATCH_CONFIG": str(tmp_path / "stratawatch.toml")}
        for said in ("created the store", "the store is ready"):
            done = subprocess.run(program, env=variables, cwd="/", capture_output=True, text=True, check=True)
            assert said in done.stdout
            assert schema_state(f"sqlite:///{tmp_path / 'stratawatch.db'}") == "current"
        assert (tmp_path / "stratawatch.toml").read_text(encoding="utf-8") == RIGHT


class TestServices:
    def test_there_is_something_to_look_at(self):
        assert len(UNITS) == 2
        assert len(commands()) >= 4

    @pytest.mark.parametrize("command", commands(), ids=" ".join)
    def test_every_module_that_is_started_exists(self, command):
        if "-m" in command:
            assert callable(import_module(command[command.index("-m") + 1]).main)
        elif command[0] == "stratawatch":
            assert command[1] in {one.name for one in app.registered_commands}
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
            for container in [*pod.get("initContainers", ()), *pod["containers"]]:
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
