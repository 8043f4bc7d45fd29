"""A window reads the partitions of its own days, whatever type the day has: the same from every source."""

from datetime import date, datetime, timedelta

import pytest

from stratawatch.engine.model.panel_spec import Columns, Window
from stratawatch.errors import InputRefused
from tests.support.predictions.backends import NAIVE, items, whole
from tests.support.predictions.panels import START, WINDOW, panel

DAY = timedelta(days=1)
COLUMNS = Columns("id", "ts", partition="day")
KINDS = {
    "DATE": lambda at: at.date(),
    "TIMESTAMP": lambda at: datetime.combine(at.date(), datetime.min.time()),
    "VARCHAR": lambda at: f"{at:%Y-%m-%d}",
    "INTEGER": lambda at: int(f"{at:%Y%m%d}"),
}


def by_day(kind, days):
    """Rows dated so many days after the window's start, with their day."""
    times = [NAIVE + day * DAY for day in days]
    return {
        **items(*(f"i{n}" for n in range(len(days)))),
        "ts": ("TIMESTAMP", times),
        "day": (kind, [KINDS[kind](at) for at in times]),
    }


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_rows_are_counted_and_drawn_as_without(made, kind):
    source = made(by_day(kind, [-0.1, 0, 0.5, 6.999, 7]))
    spec = panel(columns=COLUMNS)
    assert source.census(spec, WINDOW).census.size == source.census(panel(), WINDOW).census.size == 3
    assert {one.item for one in source.candidates(spec, WINDOW, whole("0", 3), [3])} == {"i1", "i2", "i3"}
    assert source.rows(spec, WINDOW) == 3


def test_a_window_of_hours_reads_the_days_that_it_touches(made):
    source = made(by_day("DATE", [0.9, 1.0, 1.2]))
    window = Window(START + 0.8 * DAY, START + 1.1 * DAY)
    assert source.census(panel(columns=COLUMNS), window).census.size == 2


def test_other_partitions_are_not_read(made):
    table = by_day("DATE", [0, 1])
    source = made({**table, "day": ("DATE", [date(2026, 1, 5), date(2025, 1, 1)])})
    assert source.census(panel(columns=COLUMNS), WINDOW).census.size == 1


def test_a_column_that_is_not_there_is_refused(made):
    with pytest.raises(InputRefused, match="day"):
        made(items("a")).census(panel(columns=COLUMNS), WINDOW)
