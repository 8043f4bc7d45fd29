"""Read truth that arrives by itself: statements are appended apart from labels, and the cursor with them."""

from collections.abc import Sequence
from datetime import datetime

from stratawatch.engine.alarms.truth_warnings import warn_of_truth
from stratawatch.engine.labels.collect_labels import MOST_POLLS
from stratawatch.engine.labels.counted_rejects import count_by_file
from stratawatch.engine.labels.label_dates import CLOCK_SKEW
from stratawatch.engine.model.quarantined_row import QuarantinedRow
from stratawatch.engine.model.truth import TruthStatement
from stratawatch.engine.ports import Ports, TruthFeed
from stratawatch.engine.ports.clock import SystemClock


def collect_truth(ports: Ports) -> int:
    """Read every feed until it has nothing more to say, then warn of what it proves; returns how many are new.

    Raises Unreachable for a feed that is not there, once the others were read.
    """
    new, troubles = 0, list[Exception]()
    for feed in ports.truth:
        try:
            new += _collect(ports, feed)
        except Exception as trouble:  # noqa: BLE001 - raised below: the other feeds do not wait for this one
            troubles.append(trouble)
    with ports.store.begin() as tx:
        warn_of_truth(tx, ports, list(ports.configured or tx.panels.latest()))
        tx.commit()
    if troubles:
        raise troubles[0]
    return new


def _collect(ports: Ports, feed: TruthFeed) -> int:
    new = 0
    for _ in range(MOST_POLLS):
        with ports.store.begin() as tx:
            cursor = tx.labels.cursor(feed.name)
        polled = feed.poll(cursor)
        if not (polled.statements or polled.rejected or polled.cursor != cursor):
            break
        now = ports.clock.now()
        latest = max(now, SystemClock().now())
        kept, aside = _split_by_date(polled.statements, latest + CLOCK_SKEW)
        with ports.store.begin() as tx:
            new += tx.truth.add(kept, now)
            tx.cycles.quarantine(None, count_by_file([*aside, *polled.rejected]), latest)
            tx.labels.save_cursor(feed.name, polled.cursor, now)
            tx.commit()
    return new


def _split_by_date(
    statements: Sequence[TruthStatement], latest: datetime
) -> tuple[list[TruthStatement], list[QuarantinedRow]]:
    """Those that may count, and the others as rows: one of the future would outlast every correction."""
    rows = [
        QuarantinedRow(
            "label",
            one.item,
            "a statement of truth: dated in the future",
            {"source": one.source, "value": one.value, "at": one.at.isoformat()},
        )
        for one in statements
        if one.at > latest
    ]
    return [one for one in statements if one.at <= latest], rows
