"""A town a test: fakes around a real store on SQLite."""

import pytest

from stratawatch.adapters.store import SqlStore
from stratawatch.engine.house import Ports
from tests.engine.town import FakeChannel, FakeCheck, FakeQueue, FakeSource, HandClock, Town, spec


@pytest.fixture
def make_town(tmp_path):
    """Build a town for a panel specification."""
    made = []

    def make(panel=None) -> Town:
        panel = panel or spec()
        source, check, queue, desk, clock = FakeSource(), FakeCheck(), FakeQueue({}), FakeChannel(), HandClock()
        store = SqlStore(f"sqlite:///{tmp_path}/town{len(made)}.db", create=True)
        ports = Ports(store, clock, {panel.name: source}, check, queue, {desk.name: desk})
        town = Town(ports, clock, source, check, queue, desk, panel)
        town.produce(0)
        made.append(store)
        return town

    return make


@pytest.fixture
def town(make_town) -> Town:
    """The ordinary town, its first window full of predictions and over."""
    return make_town()
