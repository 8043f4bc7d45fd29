"""Collect labels: events are appended, and the cursor is committed with them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from stratawatch.engine.alarms.notifications import warn
from stratawatch.engine.audit import note_action
from stratawatch.engine.clock_behind import require_after_newest_commit
from stratawatch.engine.labels.counted_rejects import count_by_file
from stratawatch.engine.labels.label_dates import FUTURE, split_by_date
from stratawatch.engine.labels.label_keys import reason_of, split_by_key
from stratawatch.engine.labels.queue_identity import require_queue
from stratawatch.engine.model.document import Json
from stratawatch.engine.model.label_events import LabelEvent
from stratawatch.engine.model.quarantined_row import QuarantinedRow
from stratawatch.engine.ports import Ports
from stratawatch.engine.ports.clock import SystemClock
from stratawatch.engine.ports.transaction import Transaction

MOST_POLLS: Final = 1000
"""Bound on one collection; a queue that never runs dry is read on at the next advance."""

LARGEST_SHARE: Final = 0.05
"""Of the labels of one reading: above it people are told that they do not count."""
FEWEST: Final = 3
"""Labels that do not count before people are told: one bad line among few is no share."""


@dataclass(frozen=True)
class Collected:
    """Label events that were new, that wait for the draw of their item (unknown), that were not read, or misdated.

    `repeated` ones were delivered before. `reason` is why the first of those that were set aside was, `origin` where it
    came from, such as its file and line.
    """

    new: int = 0
    unknown: int = 0
    rejected: int = 0
    misdated: int = 0
    repeated: int = 0
    reason: str = ""
    origin: str = ""


def collect_labels(ports: Ports) -> Collected:
    """Read the queue from the stored cursor until it has nothing more to say. Raises Unreachable if it is not there."""
    total = Collected()
    queue = require_queue(ports)
    for _ in range(MOST_POLLS):
        with ports.store.begin() as tx:
            cursor = tx.labels.cursor(queue.name)
        polled = queue.poll(cursor)
        if not (polled.events or polled.rejected or polled.cursor != cursor):
            break
        total = _add(total, keep_events(ports, polled.events, polled.rejected, polled.cursor))
    return total


def keep_events(
    ports: Ports,
    events: Sequence[LabelEvent],
    rejected: Sequence[QuarantinedRow] = (),
    cursor: Json | None = None,
    *,
    by_hand: str = "",
    why: str = "",
) -> Collected:
    """Keep events, set aside what was rejected; of the queue, keep the cursor too. All of it or nothing.

    Labels are rejected whose key has not the form of ours. Labels in the future are set aside too, and those from
    before their item could be drawn, unless a person brought them: `by_hand` then says what came, for the audit log.
    Raises ClockDoubted, and keeps nothing, where labels are in the future of a clock that the store has seen ahead:
    then the clock is wrong, and the queue is read again when it is right.
    """
    now = ports.clock.now()
    events, keyless = split_by_key(events)
    rejected = [*rejected, *keyless]
    with ports.store.begin() as tx:
        earliest = {} if by_hand else tx.labels.earliest_times([event.item_key for event in events])
        machine_now = SystemClock().now()
        dated, misdated = split_by_date(events, earliest, now, machine_now)
        if isinstance(ports.clock, SystemClock) and any(row.reason == FUTURE for row in misdated):
            require_after_newest_commit(tx, now, "labels were not read")
        new, unknown = tx.labels.add(dated, now)
        aside = [*rejected, *misdated]
        # Whoever runs as if it were another time looks for what was set aside today.
        tx.cycles.quarantine(None, count_by_file(aside), max(now, machine_now))
        if by_hand and (new or unknown):
            note_action(tx, ports, "imported", by_hand, why)
        if cursor is not None:
            lines = [row for row in rejected if not _is_file(row)]
            _warn_of_rejects(tx, ports, [*lines, *misdated], len(events) + len(lines))
            tx.labels.save_cursor(ports.queue.name, cursor, now)
        tx.commit()
    first = (reason_of(aside[0]), _origin(aside[0])) if aside else ()
    return Collected(new, unknown, len(rejected), len(misdated), len(dated) - new - unknown, *first)


def _warn_of_rejects(tx: Transaction, ports: Ports, aside: Sequence[QuarantinedRow], read: int) -> None:
    """Warn of a queue of which more than a few labels do not count; once a day for the same file and reason."""
    if len(aside) < FEWEST or len(aside) <= LARGEST_SHARE * read:
        return
    first = aside[0]
    about = f"labels:{ports.clock.now():%Y-%m-%d}:{first.content.get('file', '')}:{first.reason}"
    words = f"{len(aside):,} of {read:,} labels that came do not count"
    body = [
        f"The first: {reason_of(first)} ({_origin(first)}).",
        "Do: `stratawatch labels set-aside` lists them; mended lines count once they come again.",
    ]
    warn(tx, ports, about, f"Labels are set aside: {words}", "\n".join(body))


def _is_file(row: QuarantinedRow) -> bool:
    """Whether this is a whole file that is not read, and no label."""
    return "file" in row.content and "line" not in row.content


def _origin(row: QuarantinedRow) -> str:
    file, line = row.content.get("file"), row.content.get("line")
    if not file:
        return str(row.content.get("source", row.key))
    return f"{file}, line {line}" if line else str(file)


def _add(a: Collected, b: Collected) -> Collected:
    return Collected(
        a.new + b.new,
        a.unknown + b.unknown,
        a.rejected + b.rejected,
        a.misdated + b.misdated,
        a.repeated + b.repeated,
        a.reason or b.reason,
        a.origin or b.origin,
    )
