"""Broken weeks, played once: their store's tables, and the view that the report makes of them."""

import pytest

from stratawatch.engine.cycle.frozen_budgets import frozen_budgets
from stratawatch.engine.model.pauses import Pauses
from stratawatch.report.publish import panel_view, with_next_window
from stratawatch.report.several_windows import SeveralWindows, with_several_windows
from tests.support.broken_weeks import LINKS, PANEL, play_broken_weeks
from tests.support.stored_tables import StoredTables

SHOWN = 5
"""Windows of the report, fewer than there are."""


@pytest.fixture(scope="session")
def broken_weeks(tmp_path_factory):
    """The view and the tables."""
    file = tmp_path_factory.mktemp("broken-weeks") / "store.db"
    scenario = play_broken_weeks(file)
    store, now = scenario.ports.store, scenario.clock.now()
    view = panel_view(store, PANEL, now, Pauses(), {PANEL.name: LINKS}, cycles=SHOWN)
    view = with_next_window(view, frozen_budgets(store, PANEL, now))
    view = with_several_windows(view, SeveralWindows.read(store, PANEL.name))
    scenario.ports.store.dispose()
    tables = StoredTables(file, PANEL.name)
    yield view, tables
    tables.close()
