"""Broken weeks, played once: their store's tables, and the view that the report makes of them."""

import pytest

from stratawatch.report import build
from tests.support.broken_weeks import PANEL, play_broken_weeks
from tests.support.stored_tables import StoredTables

SHOWN = 5
"""Windows of the report, fewer than there are."""


@pytest.fixture(scope="session")
def broken_weeks(tmp_path_factory):
    """The view and the tables."""
    file = tmp_path_factory.mktemp("broken-weeks") / "store.db"
    scenario = play_broken_weeks(file)
    view = build(scenario.ports.store, PANEL, scenario.clock.now(), cycles=SHOWN)
    scenario.ports.store.dispose()
    tables = StoredTables(file, PANEL.name)
    yield view, tables
    tables.close()
