"""The frozen facts of a cycle: atoms, segments, candidates. Written once, never updated."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import Connection, select

from stratawatch.adapters.store import tables
from stratawatch.adapters.store.upserts import first_come, insert_all
from stratawatch.core.population import Atom, Segment
from stratawatch.engine.model.cycle_facts import CandidateItem, FrozenCycle


def write(sql: Connection, cycle_id: int, frozen: FrozenCycle) -> None:
    """Keep atoms, their segments and their pools."""
    with first_come(f"cycle {cycle_id} was frozen by someone else"):
        insert_all(sql, tables.atoms, [_atom_row(cycle_id, i, atom) for i, atom in enumerate(frozen.atoms)])
        insert_all(sql, tables.atom_segments, list(_segment_rows(cycle_id, frozen.atoms)))
        insert_all(sql, tables.candidates, list(_candidate_rows(cycle_id, frozen.candidates)))


def atoms(sql: Connection, cycle_id: int) -> tuple[Atom, ...]:
    """Atoms in their order, with N per segment."""
    segments = _segments(sql, cycle_id)
    t = tables.atoms.c
    return tuple(
        Atom(
            pattern=row.pattern,
            first_bin=row.first_bin,
            last_bin=row.last_bin,
            size=row.size,
            mean_score=row.mean_score,
            segments=segments[row.position],
            stratum=row.stratum,
            prior_rate=row.foretold,
        )
        for row in sql.execute(select(tables.atoms).where(t.cycle_id == cycle_id).order_by(t.position))
    )


def candidates(sql: Connection, cycle_id: int) -> tuple[CandidateItem, ...]:
    """The pools, by atom and digest."""
    t = tables.candidates.c
    return tuple(
        CandidateItem(
            item=row.item,
            atom=row.atom,
            digest=row.digest,
            pattern=row.pattern,
            bin=row.score_bin,
            time=row.time,
            copies=row.copies,
            payload=row.payload,
            segments=row.segments,
            cluster=row.cluster,
        )
        for row in sql.execute(select(tables.candidates).where(t.cycle_id == cycle_id).order_by(t.position))
    )


def _atom_row(cycle_id: int, position: int, atom: Atom) -> dict[str, Any]:
    return {
        "cycle_id": cycle_id,
        "position": position,
        "pattern": atom.pattern,
        "first_bin": int(atom.first_bin),
        "last_bin": int(atom.last_bin),
        "size": int(atom.size),
        "mean_score": None if atom.mean_score is None else float(atom.mean_score),
        "stratum": int(atom.stratum),
        "foretold": None if atom.prior_rate is None else float(atom.prior_rate),
    }


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


def _candidate_rows(cycle_id: int, items: Sequence[CandidateItem]) -> Iterator[dict[str, Any]]:
    """Positions follow (atom, digest), so that reading back needs no collation of text."""
    for position, item in enumerate(sorted(items, key=lambda c: (c.atom, c.digest, c.item))):
        yield {
            "cycle_id": cycle_id,
            "position": position,
            "atom": int(item.atom),
            "digest": item.digest,
            "item": item.item,
            "pattern": item.pattern,
            "score_bin": int(item.bin),
            "time": item.time,
            "copies": int(item.copies),
            "payload": item.payload,
            "segments": item.segments,
            "cluster": item.cluster,
        }


def _segments(sql: Connection, cycle_id: int) -> dict[int, dict[Segment, int]]:
    t = tables.atom_segments.c
    found: dict[int, dict[Segment, int]] = defaultdict(dict)
    for row in sql.execute(select(tables.atom_segments).where(t.cycle_id == cycle_id).order_by(t.atom, t.position)):
        found[row.atom][Segment(row.segment_column, row.segment_value)] = row.size
    return found
