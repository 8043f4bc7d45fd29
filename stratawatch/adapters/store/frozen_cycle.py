"""The frozen facts of a cycle: atoms, segments, candidates. Written once, never updated."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, func, select, tuple_

from stratawatch.adapters.store import tables
from stratawatch.adapters.store.record_rows import record_of, records_of, row_of
from stratawatch.adapters.store.tables import IN_POOL, IS_CANDIDATE
from stratawatch.adapters.store.upserts import duplicate_as_stale, insert_all
from stratawatch.core.population import Atom, Segment
from stratawatch.engine.model.cycle_facts import CandidateItem, FrozenCycle
from stratawatch.engine.model.erasure import ERASED, name_of_erased


class SqlFrozenFacts:
    """The part of the repository of cycles that is about their frozen facts."""

    def __init__(self, connection: Connection) -> None:
        self._sql = connection

    def items_by_pattern(self, cycle_ids: Sequence[int]) -> dict[int, dict[str, int]]:
        """The items of these cycles by pattern."""
        t = tables.atoms.c
        query = select(t.cycle_id, t.pattern, func.sum(t.size)).where(t.cycle_id.in_(cycle_ids))
        found: dict[int, dict[str, int]] = {}
        for cycle, pattern, items in self._sql.execute(query.group_by(t.cycle_id, t.pattern)):
            found.setdefault(cycle, {})[pattern] = int(items)
        return found

    def atoms(self, cycle_id: int) -> tuple[Atom, ...]:
        """Atoms in their order, with N per segment."""
        segments = self._segments(cycle_id)
        t = tables.atoms.c
        return tuple(
            record_of(Atom, row, segments=segments[row.position], prior_rate=row.foretold)
            for row in self._sql.execute(select(tables.atoms).where(t.cycle_id == cycle_id).order_by(t.position))
        )

    def candidates(self, cycle_id: int) -> tuple[CandidateItem, ...]:
        """The pools, by atom and digest."""
        return self._items(cycle_id, IN_POOL)

    def drawn_candidates(self, cycle_id: int) -> tuple[CandidateItem, ...]:
        """Those of the pools that some round drew, by atom and digest."""
        c, d = tables.candidates.c, tables.draws.c
        drawn = select(d.digest, d.item).where(d.cycle_id == cycle_id)
        return self._items(cycle_id, IS_CANDIDATE & tuple_(c.digest, c.item).in_(drawn))

    def labelled_before(self, cycle_id: int) -> tuple[CandidateItem, ...]:
        """The items of a cycle that had a verdict when it was opened; none where random numbers are permanent."""
        return self._items(cycle_id, ~IN_POOL)

    def _items(self, cycle_id: int, which: ColumnElement[bool]) -> tuple[CandidateItem, ...]:
        t = tables.candidates.c
        query = select(tables.candidates, t.score_bin.label("bin")).where(t.cycle_id == cycle_id, which)
        return tuple(records_of(CandidateItem, self._sql.execute(query.order_by(t.position))))

    def items_of_earlier_pools(self, cycle_id: int, since: datetime) -> frozenset[str]:
        """The candidates of a cycle that its panel had as candidates of an earlier window, from `since` on.

        One that was erased meanwhile is recognised by the name that stands in the place of its id.
        """
        t, c = tables.candidates.c, tables.cycles.c
        this = self._sql.execute(select(c.panel, c.window_start).where(c.id == cycle_id)).one()
        earlier = select(c.id).where(c.panel == this.panel, since <= c.window_start, c.window_start < this.window_start)
        mine = select(t.item).where(t.cycle_id == cycle_id)
        names = {name: item for item in self._sql.scalars(mine) for name in (item, name_of_erased(item))}
        may_be_mine = t.item.in_(mine) | t.item.startswith(ERASED)
        found = self._sql.scalars(select(t.item).where(t.cycle_id.in_(earlier), may_be_mine).distinct())
        return frozenset(names[name] for name in found if name in names)

    def _write_frozen(self, cycle_id: int, frozen: FrozenCycle) -> None:
        """Keep atoms, their segments and their pools."""
        with duplicate_as_stale(f"cycle {cycle_id} was frozen by someone else"):
            insert_all(self._sql, tables.atoms, [_atom_row(cycle_id, i, atom) for i, atom in enumerate(frozen.atoms)])
            insert_all(self._sql, tables.atom_segments, list(_segment_rows(cycle_id, frozen.atoms)))
            insert_all(self._sql, tables.candidates, list(_candidate_rows(cycle_id, frozen.candidates, 0)))
            before = frozen.labelled_before
            insert_all(self._sql, tables.candidates, list(_candidate_rows(cycle_id, before, -len(before))))

    def _segments(self, cycle_id: int) -> dict[int, dict[Segment, int]]:
        t = tables.atom_segments.c
        query = select(tables.atom_segments).where(t.cycle_id == cycle_id).order_by(t.atom, t.position)
        found: dict[int, dict[Segment, int]] = defaultdict(dict)
        for row in self._sql.execute(query):
            found[row.atom][Segment(row.segment_column, row.segment_value)] = row.size
        return found


def _atom_row(cycle_id: int, position: int, atom: Atom) -> dict[str, Any]:
    prior_rate = None if atom.prior_rate is None else float(atom.prior_rate)
    return row_of(atom, tables.atoms, cycle_id=cycle_id, position=position, foretold=prior_rate)


def _segment_rows(cycle_id: int, atoms: Sequence[Atom]) -> Iterator[dict[str, Any]]:
    for number, atom in enumerate(atoms):
        for position, (segment, size) in enumerate(atom.segments.items()):
            yield {
                "cycle_id": cycle_id,
                "atom": number,
                "position": position,
                "segment_column": segment.column,
                "segment_value": segment.value,
                "size": int(size),
            }


def _candidate_rows(cycle_id: int, items: Sequence[CandidateItem], first: int) -> Iterator[dict[str, Any]]:
    """Positions follow (atom, digest), so that reading back needs no collation of text."""
    for position, item in enumerate(sorted(items, key=lambda c: (c.atom, c.digest, c.item)), start=first):
        yield row_of(item, tables.candidates, cycle_id=cycle_id, position=position, score_bin=int(item.bin))
