"""Debian's Alertmanager, which the tests start, kill and start anew, and somebody whom it pages."""

import json
import shutil
import subprocess
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from threading import Lock

import httpx
import pytest
from pydantic import SecretStr

from stratawatch.adapters.alerts.alertmanager import AlertmanagerChannel
from stratawatch.adapters.alerts.sent_keys import SentKeys
from tests.support.alert_services import HttpService
from tests.support.free_ports import free_port
from tests.support.scenario_fixtures import breaching, labelled, make_scenario, scenario  # noqa: F401

PROGRAM, TOOL = "prometheus-alertmanager", "amtool"
PATIENCE = 60.0
LOGIN = ("ann", "hunter2")
CONFIGURATION = """
route:
  receiver: people
  group_by: [key]
  group_wait: 1s
  group_interval: 1s
  repeat_interval: 1h
receivers:
- name: people
  webhook_configs:
  - url: {url}
    send_resolved: true
"""
WEB = """
basic_auth_users:
  ann: {digest}
"""
DIGEST = "$2b$04$1IoEhAAAHop87ZpaXRcibOTjOrOZLhEfzBNvt.zX5SAlLnb.wF8Be"
"""The password, as Alertmanager keeps it."""


class Alertmanager:
    """A process at a port that it keeps, and whom it pages: (status, hashed key of an incident)."""

    def __init__(self, folder: Path):
        self.folder, self.port = folder, free_port()
        self.pages: list[tuple[str, str]] = []
        self._lock = Lock()
        self.people = HttpService(self._paged)
        (folder / "alertmanager.yml").write_text(CONFIGURATION.format(url=self.people.url))
        (folder / "web.yml").write_text(WEB.format(digest=DIGEST))
        self.process: subprocess.Popen[bytes] | None = None
        self.start()

    def _paged(self, path, headers, group) -> tuple[int, str]:
        with self._lock:
            self.pages += [(alert["status"], alert["labels"]["key"]) for alert in group["alerts"]]
        return 200, ""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start it, and wait until it is ready."""
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [
                    PROGRAM,
                    f"--config.file={self.folder}/alertmanager.yml",
                    f"--web.config.file={self.folder}/web.yml",
                    f"--storage.path={self.folder}/data",
                    f"--web.listen-address=127.0.0.1:{self.port}",
                    "--cluster.listen-address=",
                ],
                stdout=log,
                stderr=log,
            )
        self.wait_for(self._is_ready)

    def _is_ready(self) -> bool:
        assert self.process.poll() is None, (self.folder / "log").read_text()[-2000:]
        try:
            return httpx.get(f"{self.url}/-/ready", auth=LOGIN, timeout=5, trust_env=False).status_code == 200
        except httpx.HTTPError:
            return False

    def kill(self, *, empty: bool = False) -> None:
        """Kill it; with `empty`, what it keeps on its disk is lost too."""
        self.process.kill()
        self.process.wait(timeout=PATIENCE)
        if empty:
            shutil.rmtree(self.folder / "data", ignore_errors=True)

    def active(self) -> dict[str, dict]:
        """What stands, by the hashed key, as its own tool says."""
        address = f"http://{':'.join(LOGIN)}@127.0.0.1:{self.port}"
        command = [TOOL, f"--alertmanager.url={address}", "alert", "query", "--output=json"]
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=PATIENCE)
        return {alert["labels"]["key"]: alert for alert in json.loads(done.stdout)}

    def wait_for(self, has_happened: Callable[[], bool]) -> None:
        """Look until something has happened."""
        over = time.monotonic() + PATIENCE
        while not has_happened():
            assert time.monotonic() < over
            time.sleep(0.05)

    def channel(self, **settings) -> AlertmanagerChannel:
        """A new channel, as after a restart of ours."""
        from base64 import b64encode

        login = SecretStr(f"Basic {b64encode(':'.join(LOGIN).encode()).decode()}")
        sent = SentKeys.of_channel(self.folder, "alertmanager")
        return AlertmanagerChannel(self.url, {"Authorization": login}, sent=sent, **settings)

    def close(self) -> None:
        self.kill()
        self.people.close()


def beginning(alert: dict) -> datetime:
    return datetime.fromisoformat(alert["startsAt"])


def end(alert: dict) -> datetime:
    return datetime.fromisoformat(alert["endsAt"])


@pytest.fixture
def alertmanager(tmp_path):
    running = Alertmanager(tmp_path)
    yield running
    running.close()
