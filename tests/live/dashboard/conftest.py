"""The dashboard of an installation with an open breach behind a real server, and the browser to look at it."""

from collections.abc import Iterator
from dataclasses import dataclass
from threading import Thread
from time import monotonic, sleep
from typing import Any

import pytest
import uvicorn

from stratawatch.cli.web import serve
from tests.live.page.conftest import browser
from tests.unit.cli.conftest import Installation, judged, judged_folder
from tests.unit.web.dashboard.conftest import PEOPLE, token_of

__all__ = ["browser", "judged", "judged_folder"]


@dataclass(frozen=True)
class Served:
    """Where the dashboard is, and whose installation it shows."""

    address: str
    home: Installation

    def link(self, role: str) -> str:
        return f"{self.address}/enter/{token_of(role)}"


@pytest.fixture
def served(judged) -> Iterator[Served]:
    judged.configure(more='\n[[alerts]]\nkind = "console"\n' + PEOPLE)
    judged.run("advance", "--now", "2026-01-12T10:00:00+00:00")
    config: Any = uvicorn.Config(serve(judged.config).app, port=0, log_level="warning", access_log=False)
    server = uvicorn.Server(config)
    thread = Thread(target=server.run, daemon=True)
    thread.start()
    deadline = monotonic() + 30
    while not server.started:
        assert monotonic() < deadline
        sleep(0.02)
    port = server.servers[0].sockets[0].getsockname()[1]
    yield Served(f"http://127.0.0.1:{port}/dashboard", judged)
    server.should_exit = True
    thread.join()
