"""A town a test: fakes around a real store on SQLite."""

import pytest

from stratawatch.engine.ports import Ports
from tests.engine.stores import empty_store
from tests.engine.town import FakeChannel, FakeCheck, FakeQueue, FakeSource, HandClock, Town, spec


@pytest.fixture
def make_town(tmp_path):
    """Build a town for a panel specification."""
    made = []

    def make(panel=None) -> Town:
        panel = panel or spec()
        source, check, queue, desk, clock = FakeSource(), FakeCheck(), FakeQueue({}), FakeChannel(), HandClock()
        store = empty_store(tmp_path / f"town{len(made)}.db")
        ports = Ports(store, clock, {panel.name: source}, check, queue, {desk.name: desk})
        town = Town(ports, clock, source, check, queue, desk, panel)
        town.produce(0)
        made.append(store)
        return town

    yield make
    for store in made:
        store.dispose()


@pytest.fixture
def town(make_town) -> Town:
    """The ordinary town, its first window full of predictions and over."""
    return make_town()
