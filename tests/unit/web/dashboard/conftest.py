"""A dashboard over an installation with an open breach, and people of every role."""

import re
from dataclasses import dataclass, field
from time import sleep
from typing import Any

import pytest
from starlette.testclient import TestClient

from stratawatch.cli.web import serve
from stratawatch.settings.roles import ROLES
from stratawatch.web.dashboard.kept_views import UNASKED
from stratawatch.web.dashboard.visitors import token_hash
from tests.unit.cli.conftest import Installation, fresh, judged, judged_folder

__all__ = ["fresh", "judged", "judged_folder"]


def token_of(name: str) -> str:
    return f"token-of-{name}-0123456789abcdef"


def form_key(shown: Any) -> str:
    """What the forms of a page hold that only its own have."""
    found = re.search(r'name="form_key" value="([^"]+)"', shown.text)
    assert found
    return found[1]


PEOPLE = "".join(
    f'\n[[web.people]]\nname = "{role}-ann"\nrole = "{role}"\ntoken_hash = "{token_hash(token_of(role))}"\n'
    for role in ROLES
)


@dataclass
class Dashboard:
    """What is served of an installation, and people's browsers."""

    home: Installation
    _app: Any = field(default=None, repr=False)

    @property
    def app(self) -> Any:
        if self._app is None:
            self._app = serve(self.home.config).app
        return self._app

    def stranger(self, **options: Any) -> TestClient:
        return TestClient(self.app, base_url="https://watch.example.org", follow_redirects=False, **options)

    def browser(self, role: str) -> TestClient:
        """Of somebody with this role, who came by a link."""
        client = self.stranger()
        assert client.get(f"/dashboard/enter/{token_of(role)}").status_code == 303
        return client

    def program(self, role: str) -> TestClient:
        client = self.stranger()
        client.headers["authorization"] = f"Bearer {token_of(role)}"
        return client

    def forget(self) -> None:
        """Let the second pass in which nobody asks whether the store changed."""
        sleep(UNASKED)

    def incident(self) -> int:
        return self.home.json("alerts", "list")["incidents"][0]["id"]


@pytest.fixture
def dashboard(judged) -> Dashboard:
    judged.configure(more='\n[[alerts]]\nkind = "console"\n' + PEOPLE)
    judged.run("advance", "--now", "2026-01-12T10:00:00+00:00")
    return Dashboard(judged)
