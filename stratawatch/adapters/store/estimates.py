"""Estimates with their revisions: appended, never overwritten."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import datetime
from math import isnan
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, func, select, true, update

from stratawatch.adapters.store.columns import segment_key
from stratawatch.adapters.store.cycles import cycle_of
from stratawatch.adapters.store.record_rows import record_of, row_of
from stratawatch.adapters.store.tables import IS_PRESENT, cycles, draws, estimates, label_events, revisions
from stratawatch.adapters.store.upserts import duplicate_as_stale, insert_all
from stratawatch.core.estimate import Estimate, IntervalEstimate, Undefined
from stratawatch.core.population import Segment
from stratawatch.engine.model.cycle_facts import Cycle, PastEstimate, Revision
from stratawatch.errors import StratawatchError

# Columns of a revision beside those of its cycle.
_REVISION: Final = ("number", "fingerprint", "mark", "at")


class SqlEstimates:
    """The repository of estimates and their revisions."""

    def __init__(self, connection: Connection) -> None:
        self._sql = connection

    def add(self, revision: Revision) -> None:
        """Append a revision; (cycle, number) must be new."""
        with duplicate_as_stale(f"revision {revision.number} of cycle {revision.cycle_id} was written by someone else"):
            added = self._sql.execute(
                revisions.insert().returning(revisions.c.id), row_of(revision, revisions)
            ).scalar_one()
            rows = [_estimate_row(added, i, estimate) for i, estimate in enumerate(revision.estimates)]
            insert_all(self._sql, estimates, rows)

    def mark_read(self, cycle_id: int, number: int, mark: int) -> None:
        """Events up to `mark` changed nothing in this revision's verdicts; a mark never goes back."""
        row = (revisions.c.cycle_id == cycle_id) & (revisions.c.number == number) & (revisions.c.mark < mark)
        self._sql.execute(update(revisions).where(row).values(mark=mark))

    def latest(self, cycle_id: int, by: datetime | None = None) -> Revision | None:
        """The newest revision of a cycle, or the newest that had been made by a moment."""
        found = self._newest(cycles.c.id == cycle_id, by)
        return found[0][1] if found else None

    def outdated(self, after: int = 0) -> tuple[int, ...]:
        """Cycles with an event on one of their drawn items that is newer than the mark of their newest revision.

        Starts from the few events later than `after`, so that its cost does not grow with the history.
        """
        # Materialized: else SQLite, which cannot know how few these are, begins with all draws there ever were.
        new = (
            select(label_events.c.id, label_events.c.item_key, label_events.c.question_key)
            .where(label_events.c.id > after)
            .cte("new_events")
            .prefix_with("MATERIALIZED")
        )
        answers = (draws.c.item_key == new.c.item_key) & (draws.c.question_key == new.c.question_key)
        touched = (
            select(draws.c.cycle_id, func.max(new.c.id).label("event"))
            .join_from(new, draws, answers)
            .group_by(draws.c.cycle_id)
            .subquery()
        )
        mark = (
            select(revisions.c.mark)
            .where(revisions.c.cycle_id == touched.c.cycle_id)
            .order_by(revisions.c.number.desc())
            .limit(1)
            .scalar_subquery()
        )
        present = select(cycles.c.id).where(cycles.c.id == touched.c.cycle_id, IS_PRESENT).exists()
        late = select(touched.c.cycle_id).where(touched.c.event > mark, present).order_by(touched.c.cycle_id)
        return tuple(self._sql.scalars(late))

    def history(
        self, panel: str, newest: int | None = None, *, replaced: bool = False
    ) -> tuple[tuple[Cycle, Revision], ...]:
        """The newest revision of every cycle of a panel that has one, oldest window first; or of the last so many.

        Cycles that were replaced are left out unless asked for.
        """
        of_panel = cycles.c.panel == panel
        if not replaced:
            of_panel &= IS_PRESENT
        if newest is None:
            return self._newest(of_panel)
        estimated = select(revisions.c.id).where(revisions.c.cycle_id == cycles.c.id).exists()
        last = select(cycles.c.id).where(of_panel, estimated).order_by(cycles.c.window_start.desc()).limit(newest)
        return self._newest(cycles.c.id.in_(self._sql.scalars(last).all()))

    def in_periods(
        self, panel: str, first: int, last: int, metrics: Collection[str], segments: Collection[str | None]
    ) -> tuple[PastEstimate, ...]:
        """The newest estimates of these metrics and segments (None: overall) in these periods, oldest window first."""
        keys = [segment_key(segment) for segment in segments]
        query = (
            select(estimates, revisions.c.cycle_id, cycles.c.period, cycles.c.version_id)
            .join_from(estimates, revisions, revisions.c.id == estimates.c.revision_id)
            .join(cycles, cycles.c.id == revisions.c.cycle_id)
            .where(cycles.c.panel == panel, cycles.c.period.between(first, last), _is_newest())
            .where(estimates.c.metric.in_(metrics), estimates.c.segment_key.in_(keys))
            .order_by(cycles.c.period, estimates.c.position)
        )
        return tuple(
            PastEstimate(row.cycle_id, row.period, row.version_id, _estimate_of(row))
            for row in self._sql.execute(query)
        )

    def _newest(self, which: ColumnElement[bool], by: datetime | None = None) -> tuple[tuple[Cycle, Revision], ...]:
        """Two queries, however many cycles there are."""
        newest = which & _is_newest(by)
        columns = [revisions.c[name].label(f"revision_{name}") for name in ("id", *_REVISION)]
        heads = (
            select(cycles, *columns)
            .join_from(cycles, revisions, revisions.c.cycle_id == cycles.c.id)
            .where(newest)
            .order_by(cycles.c.window_start, cycles.c.id)
        )
        rows = self._sql.execute(heads).all()
        bodies = (
            select(estimates)
            .join_from(estimates, revisions, revisions.c.id == estimates.c.revision_id)
            .join(cycles, cycles.c.id == revisions.c.cycle_id)
            .where(newest)
            .order_by(estimates.c.revision_id, estimates.c.position)
        )
        found: dict[int, list[Estimate]] = defaultdict(list)
        for row in self._sql.execute(bodies):
            found[row.revision_id].append(_estimate_of(row))
        return tuple((cycle_of(row), _revision_of(row, found[row.revision_id])) for row in rows)


def _is_newest(by: datetime | None = None) -> ColumnElement[bool]:
    """Whether a revision is the last of its cycle, or the last that had been made by a moment."""
    other = revisions.alias("other")
    made = true() if by is None else other.c.at <= by
    last = select(func.max(other.c.number)).where(other.c.cycle_id == revisions.c.cycle_id, made)
    return revisions.c.number == last.correlate(revisions).scalar_subquery()


def _revision_of(row: Row[Any], found: Sequence[Estimate]) -> Revision:
    facts = {name: getattr(row, f"revision_{name}") for name in _REVISION}
    return Revision(cycle_id=row.id, estimates=tuple(found), **facts)


def _estimate_row(revision_id: int, position: int, estimate: Estimate) -> dict[str, Any]:
    segment = estimate.segment
    text = str(segment) if segment else None
    return row_of(
        estimate,
        estimates,
        revision_id=revision_id,
        position=position,
        segment_column=segment.column if segment else None,
        segment_value=segment.value if segment else None,
        segment=text,
        segment_key=segment_key(text),
        **_outcome_columns(estimate),
    )


def _outcome_columns(estimate: Estimate) -> dict[str, Any]:
    outcome = estimate.result
    if isinstance(outcome, Undefined):
        return {"value": None, "low": None, "high": None, "n_eff": None, "undefined": outcome.reason}
    numbers = {name: float(getattr(outcome, name)) for name in ("value", "low", "high", "n_eff")}
    if any(isnan(number) for number in numbers.values()):
        raise StratawatchError(
            f"the {estimate.metric} of {estimate.classifier} is not a number",
            expected="a value with its interval, or Undefined with its reason",
            got=str(outcome),
        )
    return {**numbers, "undefined": None}


def _estimate_of(row: Row[Any]) -> Estimate:
    segment = None if row.segment_column is None else Segment(row.segment_column, row.segment_value)
    result = record_of(IntervalEstimate, row) if row.undefined is None else Undefined(row.undefined)
    return record_of(Estimate, row, segment=segment, result=result)
