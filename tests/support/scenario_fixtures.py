"""Scenarios for tests of the engine and of the flows; their conftest imports these fixtures."""

import pytest

from tests.support.scenario import Scenario, new_scenario


@pytest.fixture
def make_scenario(tmp_path):
    """Build a scenario for a panel specification."""
    made = []

    def make(panel=None) -> Scenario:
        made.append(new_scenario(tmp_path / f"scenario{len(made)}.db", panel))
        return made[-1]

    yield make
    for scenario in made:
        scenario.ports.store.dispose()


@pytest.fixture
def scenario(make_scenario) -> Scenario:
    """The ordinary scenario, its first window full of predictions and over."""
    return make_scenario()
