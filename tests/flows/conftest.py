"""One Prefect server for all flow tests, and two places to run them in: a scenario of fakes, and a real little installation."""

from types import SimpleNamespace

import pytest

import flows  # noqa: F401 - sets Prefect's environment before Prefect is imported
from tests.support.fakes import spec
from tests.support.scenario_fixtures import make_scenario, scenario  # noqa: F401
from tests.support.small_installation import SmallInstallation


@pytest.fixture(scope="package", autouse=True)
def prefect_server():
    """A server of its own, with a database of its own, for all tests in this folder."""
    from prefect.testing.utilities import prefect_test_harness

    from flows.local_runs import without_heartbeats

    with prefect_test_harness(server_startup_timeout=120), without_heartbeats():
        yield


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    """Retries happen, but without the waits between them."""
    from tests.support.prefect_tasks import all_tasks

    for task in all_tasks().values():
        monkeypatch.setattr(task, "retry_delay_seconds", [0.0] * task.retries)


@pytest.fixture
def in_scenario(monkeypatch):
    """Let the flows build a scenario of fakes instead of what a configuration says."""

    def move(to):
        wired = SimpleNamespace(ports=to.ports, panels={to.panel.name: to.panel})
        for module in ("open_cycles", "advance_cycles"):
            monkeypatch.setattr(f"flows.{module}.build", lambda _config, _now: wired)
        return to

    return move


@pytest.fixture
def flow_scenario(make_scenario, in_scenario):  # noqa: F811
    """A scenario with two windows that are over, so that one cycle can fail beside another."""
    built = in_scenario(make_scenario(spec()))
    built.produce(1)
    built.clock.advance(days=7)
    return built


@pytest.fixture
def installation(tmp_path) -> SmallInstallation:
    """A configuration, a store, files with predictions and a folder queue: nothing in it is faked."""
    return SmallInstallation.found(tmp_path)
