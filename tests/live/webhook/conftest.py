"""Processes on both sides of a webhook queue, which end with the test."""

import subprocess
import sys
import time
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from socket import create_connection, create_server

import pytest
from pydantic import SecretStr

from stratawatch.adapters.queues.webhook import WebhookQueue
from stratawatch.adapters.secret_address import SecretAddress
from tests.support.configurations import PANEL
from tests.support.label_services import OTHER_RECEIVE, OTHER_SEND, RECEIVE, SEND, written
from tests.support.moto_server import PYTHON
from tests.support.programs import ROOT, environment

SERVICE = ROOT / "tests/live/webhook/service.py"
PATIENCE = 60.0
KEYS = {"SEND": SEND, "OTHER_SEND": OTHER_SEND, "RECEIVE": RECEIVE, "OTHER_RECEIVE": OTHER_RECEIVE}
CONFIGURATION = """
[store]
url = "sqlite:///stratawatch.db"
[queue]
kind = "webhook"
url = "${env:LABELS_URL}"
send_key = "${env:LABELS_SEND}"
receive_key = "${env:LABELS_RECEIVE}"
"""
SECOND_KEY = 'second_receive_key = "${env:LABELS_OTHER_RECEIVE}"\n'


def free_port() -> int:
    with create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


@dataclass
class Sides:
    """An installation in a folder, and the service, each at a port that it keeps."""

    folder: Path
    stack: ExitStack
    port: int = field(default_factory=free_port)
    service_port: int = field(default_factory=free_port)

    def __post_init__(self) -> None:
        self.inbox.mkdir()
        self.configure()

    @property
    def inbox(self) -> Path:
        return self.folder / "inbox"

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.service_port}/"

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/labels/webhook"

    def configure(self, more: str = "", panel: str = PANEL) -> None:
        (self.folder / "stratawatch.toml").write_text(panel + CONFIGURATION + more, encoding="utf-8")

    def process(self, *command: object) -> "subprocess.Popen[str]":
        """A process that is killed at the test's end at the latest."""
        keys = {f"LABELS_{name}": written(key) for name, key in KEYS.items()}
        started = subprocess.Popen(
            [str(part) for part in command],
            cwd=self.folder,
            env=environment({"LABELS_URL": self.url, **keys}),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.stack.callback(killed, started)
        return started

    def command(self, *arguments: object) -> "subprocess.Popen[str]":
        """A command of stratawatch."""
        return self.process(sys.executable, "-m", "stratawatch.cli", *arguments)

    def service(self, *keys: bytes) -> "subprocess.Popen[str]":
        """The service, which knows these keys of ours."""
        known = map(written, keys or (SEND,))
        return listening(
            self.process(PYTHON, SERVICE, "take", self.inbox, self.service_port, *known), self.service_port
        )

    def web(self) -> "subprocess.Popen[str]":
        """`stratawatch web`."""
        return listening(self.command("web", "--port", self.port), self.port)

    def sender(self, first: int, last: int, key: bytes = RECEIVE) -> "subprocess.Popen[str]":
        """The service's process that gives labels."""
        return self.process(PYTHON, SERVICE, "give", self.address, written(key), first, last)

    def queue(self, *keys: bytes) -> WebhookQueue:
        """The queue as an advance has it."""
        address = SecretAddress("the labelling service", SecretStr(self.url), timeout=10)
        queue = WebhookQueue(self.folder / "queue", address, keys or (SEND,))
        if not queue.identity():
            queue.adopt("ours")
        return queue

    def answers(self) -> list[tuple[str, int]]:
        """What the service answered, in order."""
        with suppress(FileNotFoundError):
            lines = (self.inbox / ".answers").read_text().splitlines()
            return [(name, int(status)) for name, status in map(str.split, lines)]
        return []

    def messages(self) -> dict[str, bytes]:
        """What the service has kept."""
        return {path.name: path.read_bytes() for path in self.inbox.iterdir() if not path.name.startswith(".")}


def listening(process: "subprocess.Popen[str]", port: int) -> "subprocess.Popen[str]":
    over = time.monotonic() + PATIENCE
    while True:
        with suppress(OSError):
            create_connection(("127.0.0.1", port)).close()
            return process
        assert process.poll() is None
        assert time.monotonic() < over
        time.sleep(0.02)


def killed(process: "subprocess.Popen[str]") -> None:
    process.kill()
    process.wait(timeout=PATIENCE)


@pytest.fixture
def sides(tmp_path):
    with ExitStack() as stack:
        yield Sides(tmp_path, stack)
