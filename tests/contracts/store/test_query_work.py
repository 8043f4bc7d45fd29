"""What is read of earlier windows is work for those that are asked for: counted, not timed, on every database."""

from itertools import count

import pytest
from sqlalchemy import event, text

from stratawatch.engine.model.truth import TruthStatement
from tests.support.store.examples import MINUTE, NOW, QUESTION, WEEK, planned_round, said, window

LATER = NOW + WEEK
STEPS = 10
"""How many instructions of SQLite's machine are one unit of work."""


def add_window(store, period, items):
    """A window all of whose candidates were drawn and answered, and became known by themselves; returns its cycle."""
    names = tuple(f"{period} {number}" for number in range(items))
    with store.begin() as tx:
        cycle = planned_round(tx, period, items=names).cycle
        tx.labels.add([said(name, f"e{name}") for name in names], NOW)
        place = window(period).start + MINUTE
        tx.truth.add([TruthStatement("spam", name, "yes", "bank", NOW, place) for name in names], NOW)
        tx.commit()
    return cycle


ASKED = {
    "past_draws": lambda tx, cycles: tx.labels.past_draws(cycles, LATER, QUESTION),
    "known_items": lambda tx, cycles: tx.truth.known_items("spam", cycles, LATER),
    "items_by_pattern": lambda tx, cycles: tx.cycles.items_by_pattern(cycles),
    "candidate_counts": lambda tx, cycles: tx.truth.candidate_counts(cycles),
}


@pytest.fixture(params=ASKED)
def work(store, request):
    """How much work it is to ask something of cycles."""
    ask = ASKED[request.param]

    def counted(*cycles):
        with store.begin() as tx:
            if tx._sql.dialect.name == "sqlite":
                return _steps(tx, lambda: ask(tx, cycles))
            tx._sql.execute(text("ANALYZE"))
            for way in ("seqscan", "hashjoin", "mergejoin"):  # small tables it reads whole without need
                tx._sql.execute(text(f"SET LOCAL enable_{way} = off"))
            return _rows(tx, lambda: ask(tx, cycles))

    return counted


def _steps(tx, ask) -> int:
    """The steps of SQLite's machine."""
    steps, driver = count(), tx._sql.connection.driver_connection
    driver.set_progress_handler(lambda: next(steps) and 0, STEPS)
    ask()
    driver.set_progress_handler(None, STEPS)
    return next(steps)


def _rows(tx, ask) -> int:
    """The rows that PostgreSQL reads or throws away."""
    sent = []
    listen = lambda _c, _cursor, statement, values, *_: sent.append((statement, values))  # noqa: E731
    event.listen(tx._sql, "before_cursor_execute", listen)
    ask()
    event.remove(tx._sql, "before_cursor_execute", listen)
    plans = [tx._sql.exec_driver_sql(f"EXPLAIN (ANALYZE, FORMAT JSON) {one}", values).scalar() for one, values in sent]
    return sum(map(_rows_of, (one["Plan"] for plan in plans for one in plan)))


def _rows_of(step) -> int:
    """What a step reads from a table or an index, and what it and those below it throw away."""
    rows = sum(rows for name, rows in step.items() if name.startswith("Rows Removed by"))
    below = step.get("Plans", ())
    if not below:
        rows += max(step["Actual Rows"], 1)
    return step["Actual Loops"] * rows + sum(map(_rows_of, below))


def test_other_windows_add_no_work(store, work):
    first = add_window(store, 0, 40)
    alone = work(first)
    for period in range(1, 9):
        add_window(store, period, 40)
    assert 0 < work(first) < 1.5 * alone


def test_three_times_the_windows_are_three_times_the_work(store, work):
    cycles = [add_window(store, period, 40) for period in range(3)]
    few = work(*cycles)
    cycles += [add_window(store, period, 40) for period in range(3, 9)]
    assert work(*cycles) < 4.5 * few


def test_three_times_the_draws_are_three_times_the_work(store, work):
    small, large = add_window(store, 0, 40), add_window(store, 1, 120)
    assert work(large) < 4.5 * work(small)
