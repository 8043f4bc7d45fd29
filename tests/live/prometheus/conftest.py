"""Debian's Prometheus, which reads the numbers of a real `stratawatch web` and has our rules."""

import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import httpx
import pytest

from tests.support.free_ports import free_port
from tests.support.programs import ROOT, environment
from tests.support.small_installation import SmallInstallation

OURS = ROOT / "deployments" / "prometheus"
TOKEN = "a token of no other use"
PATIENCE = 60.0
EACH_SECOND = "scrape_interval: 1s\n  evaluation_interval: 1s"
MORE = """
[web]
metrics_token = "${file:metrics_token}"
[[panels.spam.limits]]
metric = "recall"
floor = 0.1
[[panels.spam.limits]]
metric = "false_omission_rate"
ceiling = 0.9
"""


class Scraped:
    """A judged week, its server of numbers, and the Prometheus that asks it."""

    def __init__(self, folder: Path, token: str = TOKEN):
        self.folder, self.port, self.web_port = folder, free_port(), free_port()
        (folder / "home").mkdir()
        self.home = SmallInstallation.found(folder / "home", weeks=1, floor=0.99)
        with Path(self.home.config).open("a") as text:
            text.write(MORE)
        (self.home.folder / "metrics_token").write_text(TOKEN)
        self._judge()
        for path in OURS.iterdir():
            shutil.copy(path, folder)
        (folder / "metrics_token").write_text(token)
        text = (OURS / "prometheus.yml").read_text()
        assert "127.0.0.1:8642" in text
        assert "scrape_interval: 1m" in text
        told = text.replace("127.0.0.1:8642", f"127.0.0.1:{self.web_port}").replace("scrape_interval: 1m", EACH_SECOND)
        (folder / "prometheus.yml").write_text(told)
        self.web = self._started(sys.executable, "-m", "stratawatch.cli", "web", "--port", self.web_port)
        self.prometheus = self._started(
            "prometheus",
            f"--config.file={folder}/prometheus.yml",
            f"--storage.tsdb.path={folder}/data",
            f"--web.listen-address=127.0.0.1:{self.port}",
        )

    def _judge(self) -> None:
        from stratawatch.engine.cycle.advance import advance
        from stratawatch.engine.cycle.open_cycles import open_cycles

        for hours in (6, 8, 10, 12):
            now = self.home.after(1, hours=hours)
            wired = self.home.wired(now)
            open_cycles(wired.ports, wired.panels)
            assert advance(wired.ports).troubles == ()
            self.home.answer(now + timedelta(minutes=5))

    def _started(self, *command: object) -> "subprocess.Popen[bytes]":
        with (self.folder / f"{Path(str(command[0])).name}.log").open("ab") as log:
            return subprocess.Popen(
                [str(part) for part in command],
                cwd=self.home.folder,
                env=environment({"STRATAWATCH_CONFIG": self.home.config}),
                stdout=log,
                stderr=log,
            )

    def log(self) -> str:
        """What both wrote."""
        return "".join(path.read_text() for path in self.folder.glob("*.log"))

    def ask(self, path: str, **parameters: str) -> dict:
        """What Prometheus' own API says."""
        found = httpx.get(f"http://127.0.0.1:{self.port}/api/v1/{path}", params=parameters, timeout=10, trust_env=False)
        answer = found.json()
        assert answer["status"] == "success", answer
        return answer["data"]

    def query(self, expression: str) -> list[tuple[dict[str, str], float]]:
        """The series that an expression finds now, each with its value."""
        found = self.ask("query", query=expression)["result"]
        return [(one["metric"], float(one["value"][1])) for one in found]

    def target(self) -> dict:
        """The one server that it asks, and how that went; nothing before the first time."""
        try:
            (one,) = self.ask("targets")["activeTargets"]
        except (httpx.HTTPError, ValueError):
            return {}
        return one

    def wait_for(self, has_happened: Callable[[], object]) -> None:
        """Look until something has happened."""
        over = time.monotonic() + PATIENCE
        while not has_happened():
            assert self.prometheus.poll() is None, self.log()[-2000:]
            assert self.web.poll() is None, self.log()[-2000:]
            assert time.monotonic() < over, self.log()[-2000:]
            time.sleep(0.1)

    def close(self) -> None:
        for process in (self.prometheus, self.web):
            process.kill()
            process.wait(timeout=PATIENCE)


@pytest.fixture(scope="module")
def scraped(tmp_path_factory):
    running = Scraped(tmp_path_factory.mktemp("scraped"))
    yield running
    running.close()


@pytest.fixture
def stranger(tmp_path):
    """A Prometheus that has another token."""
    running = Scraped(tmp_path, token="another token of no use")
    yield running
    running.close()
