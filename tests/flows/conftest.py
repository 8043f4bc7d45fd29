"""One Prefect server for all flow tests, and two places to run them in: a town of fakes, and a real little installation."""

from types import SimpleNamespace

import pytest
from prefect.testing.utilities import prefect_test_harness

import flows  # noqa: F401 - sets Prefect's environment before Prefect is imported
from flows.local_runs import without_heartbeats
from tests.engine.conftest import make_town, town  # noqa: F401 - the engine's fakes serve the flows too
from tests.engine.town import spec
from tests.flows.discovery import all_tasks
from tests.flows.installation import SmallInstallation


@pytest.fixture(scope="package", autouse=True)
def prefect_server():
    """A server of its own, with a database of its own, for all tests in this folder."""
    with prefect_test_harness(server_startup_timeout=120), without_heartbeats():
        yield


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    """Retries happen, but without the waits between them."""
    for task in all_tasks().values():
        monkeypatch.setattr(task, "retry_delay_seconds", [0.0] * task.retries)


@pytest.fixture
def in_town(monkeypatch):
    """Let the flows build a town of fakes instead of what a configuration says."""

    def move(to):
        wired = SimpleNamespace(ports=to.ports, panels={to.panel.name: to.panel})
        for module in ("open_cycles", "advance_cycles"):
            monkeypatch.setattr(f"flows.{module}.build", lambda _config, _now: wired)
        return to

    return move


@pytest.fixture
def flow_town(make_town, in_town):  # noqa: F811
    """A town with two windows that are over, so that one cycle can fail beside another."""
    built = in_town(make_town(spec()))
    built.produce(1)
    built.clock.pass_(days=7)
    return built


@pytest.fixture
def installation(tmp_path) -> SmallInstallation:
    """A configuration, a store, files with predictions and a folder queue: nothing in it is faked."""
    return SmallInstallation.found(tmp_path)
