"""Labelled draws of earlier cycles, read in one query."""

from collections.abc import Callable, Sequence
from datetime import datetime
from itertools import groupby
from typing import Any

from sqlalchemy import Connection, Row, Select, func, select

from stratawatch.adapters.store.record_rows import record_maker
from stratawatch.adapters.store.tables import IS_CANDIDATE, atoms, candidates, draws, label_events, rounds
from stratawatch.engine.model.cycle_facts import PastDraw
from stratawatch.engine.model.label_events import NOWHERE, LabelEvent


def past_draws(
    sql: Connection, cycle_ids: Sequence[int], received_by: datetime, question_key: str
) -> tuple[PastDraw, ...]:
    """What these cycles had drawn for a question by a moment, of it what anybody had said something about."""
    rows = sql.execute(_query(cycle_ids, received_by, question_key))
    event_of = record_maker(LabelEvent, rows.keys(), dated=True, place=NOWHERE)
    by_draw = groupby(rows, key=lambda row: (row.cycle_id, row.item_key))
    return tuple(_past_draw(list(said), event_of) for _, said in by_draw)


def _query(cycle_ids: Sequence[int], received_by: datetime, question_key: str) -> Select[Any]:
    sizes = (
        select(atoms.c.cycle_id, atoms.c.stratum, func.sum(atoms.c.size).label("size"))
        .where(atoms.c.cycle_id.in_(cycle_ids))
        .group_by(atoms.c.cycle_id, atoms.c.stratum)
        .subquery()
    )
    stratum = (draws.c.cycle_id, atoms.c.stratum)
    drawn = (
        select(draws, atoms.c.stratum, func.count().over(partition_by=stratum).label("taken"))
        .join_from(draws, rounds, rounds.c.id == draws.c.round_id)
        .join(atoms, (atoms.c.cycle_id == draws.c.cycle_id) & (atoms.c.position == draws.c.atom))
        .where(draws.c.cycle_id.in_(cycle_ids), rounds.c.planned_at <= received_by)
        .subquery()
    )
    place = (candidates.c.cycle_id == drawn.c.cycle_id) & (candidates.c.digest == drawn.c.digest)
    return (
        select(
            drawn.c.cycle_id,
            drawn.c.item,
            drawn.c.first_use,
            drawn.c.reused,
            candidates.c.pattern,
            candidates.c.score_bin,
            sizes.c.size,
            drawn.c.taken,
            label_events,
        )
        .join_from(drawn, sizes, (sizes.c.cycle_id == drawn.c.cycle_id) & (sizes.c.stratum == drawn.c.stratum))
        .join(candidates, place & (candidates.c.item == drawn.c.item) & IS_CANDIDATE)
        .join(label_events, label_events.c.item_key == drawn.c.item_key)
        .where(label_events.c.received_at <= received_by)
        .where(label_events.c.question_key == question_key, drawn.c.question_key == question_key)
        .order_by(drawn.c.cycle_id, drawn.c.item_key, label_events.c.at, label_events.c.id)
    )


def _past_draw(said: Sequence[Row[Any]], event_of: Callable[[Row[Any]], LabelEvent]) -> PastDraw:
    first = said[0]
    return PastDraw(
        cycle_id=first.cycle_id,
        item=first.item,
        item_key=first.item_key,
        pattern=first.pattern,
        bin=first.score_bin,
        weight=float(first.size) / first.taken,
        first_use=not first.reused if first.first_use is None else bool(first.first_use),
        events=tuple(map(event_of, said)),
    )
