"""The labelled draw: what was drawn from every atom, and what people answered."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from stratawatch.core.ledger import Ledger
from stratawatch.core.population import Candidates, Counts, Floats, Segment
from stratawatch.errors import StratawatchError


@dataclass(frozen=True)
class Labelled:
    """Counts by atom (drawn, answered yes or no, yes), and the answered items they are made of.

    `rows` are candidates with an answer, `said_yes` is aligned with them.
    """

    candidates: Candidates
    drawn: Counts
    rows: Counts
    said_yes: Floats

    @property
    def answered(self) -> Floats:
        """Answers by atom."""
        return self._by_atom(np.ones_like(self.said_yes))

    @property
    def yes(self) -> Floats:
        """Yes answers by atom."""
        return self._by_atom(self.said_yes)

    def inside(self, segment: Segment) -> tuple[Floats, Floats]:
        """Answers and yes answers by atom, of items inside a segment."""
        column = self.candidates.segments.get(segment.column)
        if column is None:
            raise StratawatchError(
                f"the candidates carry no segment column '{segment.column}'",
                expected=f"one of {', '.join(self.candidates.segments) or 'none'}",
            )
        within = np.array([column[row] == segment.value for row in self.rows.tolist()], dtype=np.float64)
        return self._by_atom(within), self._by_atom(within * self.said_yes)

    def _by_atom(self, weights: Floats) -> Floats:
        atoms = self.candidates.atoms[self.rows]
        return np.bincount(atoms, weights=weights, minlength=len(self.drawn)).astype(np.float64)


def labelled(candidates: Candidates, atoms: int, ledger: Ledger, drawn: Collection[str]) -> Labelled:
    """Match the drawn items and their verdicts with the candidates; verdicts of other items do not count."""
    wanted = drawn if isinstance(drawn, (set, frozenset)) else set(drawn)
    rows = [row for row, item in enumerate(candidates.items) if item in wanted]
    if len(rows) != len(wanted):
        strangers = wanted - {candidates.items[row] for row in rows}
        if strangers:
            raise StratawatchError(
                f"{len(strangers)} drawn items are not among the candidates",
                got=repr(min(strangers))[:60],
                hint="the draw belongs to another design",
            )
    verdicts = [ledger.verdicts.get(candidates.items[row]) for row in rows]
    answered = [
        (row, verdict == "yes") for row, verdict in zip(rows, verdicts, strict=True) if verdict in ("yes", "no")
    ]
    counts = np.bincount(candidates.atoms[np.array(rows, dtype=np.int64)], minlength=atoms)
    return Labelled(
        candidates=candidates,
        drawn=counts.astype(np.int64),
        rows=np.array([row for row, _ in answered], dtype=np.int64),
        said_yes=np.array([yes for _, yes in answered], dtype=np.float64),
    )
