"""Scenarios for tests of the engine and of the flows; their conftest imports these fixtures."""

import pytest

from stratawatch.adapters.store import open_store
from tests.support.fakes import spec
from tests.support.played_panel import BOTH, PlayedPanel
from tests.support.scenario import Scenario, labelled_scenario, new_scenario


@pytest.fixture
def make_scenario(tmp_path):
    """Build a scenario for a panel specification, at its beginning or after some labelled weeks."""
    made = []

    def make(panel=None, *weeks: int, **rows: float) -> Scenario:
        path = tmp_path / f"scenario{len(made)}.db"
        made.append(labelled_scenario(path, panel or spec(), *weeks, **rows) if weeks else new_scenario(path, panel))
        return made[-1]

    yield make
    for scenario in made:
        scenario.ports.store.dispose()


@pytest.fixture
def scenario(make_scenario) -> Scenario:
    """The ordinary scenario, its first window full of predictions and over."""
    return make_scenario()


@pytest.fixture
def labelled(make_scenario) -> Scenario:
    """The ordinary scenario after its first cycle was labelled and judged."""
    return make_scenario(None, 0)


@pytest.fixture
def breaching(make_scenario):
    """A scenario with labels enough to prove a breach."""
    return make_scenario(spec(budget=200))


@pytest.fixture
def played(store_url, tmp_path):
    """A panel of two classifiers around a store of each kind."""
    store = open_store(store_url)
    yield PlayedPanel(Scenario.around(store, BOTH), store_url, tmp_path / "reports")
    store.dispose()
