"""The labelled draw: what was drawn from every stratum, and what people answered, by atom and fold."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from stratawatch.core.population import Candidates, Counts, Floats, Segment
from stratawatch.core.verdicts import Ledger
from stratawatch.errors import StratawatchError

FOLDS: Final = 5
"""Parts of the answers; the working model that foretells one part is fitted to the others."""


@dataclass(frozen=True)
class Answers:
    """Answers and yes answers, folds x atoms."""

    answered: Floats
    yes: Floats


@dataclass(frozen=True)
class AnsweredRows:
    """Candidates with an answer, their folds, and whether it was yes."""

    candidates: Candidates
    rows: Counts
    folds: Counts
    said_yes: Floats

    def inside(self, column: str, value: str, atoms: int) -> Answers:
        """The answers of items that have this value in this segment column."""
        return self.counted(self.within(column, value), atoms)

    def within(self, column: str, value: str) -> Floats:
        """1 for the rows that have this value in this segment column, else 0."""
        values = self.candidates.segments.get(column)
        if values is None:
            raise StratawatchError(
                f"the candidates carry no segment column '{column}'",
                expected=f"one of {', '.join(self.candidates.segments) or 'none'}",
            )
        return np.array([values[row] == value for row in self.rows.tolist()], dtype=np.float64)

    def counted(self, weights: Floats, atoms: int) -> Answers:
        """Sums of weights by fold and atom."""
        place = self.folds * atoms + self.candidates.atoms[self.rows]
        answered, yes = (
            np.bincount(place, weights=values, minlength=FOLDS * atoms).reshape(FOLDS, atoms).astype(np.float64)
            for values in (weights, weights * self.said_yes)
        )
        return Answers(answered, yes)


@dataclass(frozen=True)
class Labelled:
    """Items drawn by stratum; answers and yes answers, folds x atoms, of everything and inside segments.

    Made of items by `labelled`, or directly of counts, as simulations do; then `segments` holds those of segments.
    """

    drawn: Counts
    answered: Floats
    yes: Floats
    segments: Mapping[Segment, Answers] = field(default_factory=dict)
    rows: AnsweredRows | None = None

    @property
    def everywhere(self) -> Answers:
        """The answers, wherever their items are."""
        return Answers(self.answered, self.yes)

    def inside(self, segment: Segment) -> Answers:
        """The answers of items inside a segment."""
        if self.rows is None:
            return self.segments[segment]
        return self.rows.inside(segment.column, segment.value, self.answered.shape[1])


def labelled(candidates: Candidates, strata: Counts, ledger: Ledger, drawn: Collection[str]) -> Labelled:
    """Match the drawn items and their verdicts with the candidates; verdicts of other items do not count.

    `strata` is the stratum of every atom.
    """
    wanted = drawn if isinstance(drawn, (set, frozenset)) else set(drawn)
    rows = [row for row, item in enumerate(candidates.items) if item in wanted]
    _no_strangers(candidates, rows, wanted)
    verdicts = [ledger.verdicts.get(candidates.items[row]) for row in rows]
    known = [(row, verdict == "yes") for row, verdict in zip(rows, verdicts, strict=True) if verdict in ("yes", "no")]
    answered = np.array([row for row, _ in known], dtype=np.int64)
    said_yes = np.array([yes for _, yes in known], dtype=np.float64)
    found = AnsweredRows(candidates, answered, _folds(candidates, strata, answered), said_yes)
    homes = strata[candidates.atoms[np.array(rows, dtype=np.int64)]]
    count = int(strata.max(initial=-1)) + 1
    counts = found.counted(np.ones_like(said_yes), len(strata))
    draws = np.bincount(homes, minlength=count).astype(np.int64)
    return Labelled(draws, counts.answered, counts.yes, rows=found)


def deal(strata: Counts) -> Counts:
    """Folds of rows that stand in their order within each stratum: (running number + stratum) mod 5.

    >>> deal(np.array([0, 0, 1, 0, 1])).tolist()
    [0, 1, 1, 2, 2]
    """
    order = np.argsort(strata, kind="stable")
    ordered = strata[order]
    number = np.arange(len(strata)) - np.searchsorted(ordered, ordered)
    folds = np.empty(len(strata), dtype=np.int64)
    folds[order] = (number + ordered) % FOLDS
    return folds


def _folds(candidates: Candidates, strata: Counts, rows: Counts) -> Counts:
    """Folds balanced inside every stratum, in the order of the draw."""
    keys: Sequence[tuple[str, str]] = [(candidates.digests[row], candidates.items[row]) for row in rows.tolist()]
    order = np.array(sorted(range(len(rows)), key=keys.__getitem__), dtype=np.int64)
    folds = np.empty(len(rows), dtype=np.int64)
    folds[order] = deal(strata[candidates.atoms[rows[order]]])
    return folds


def _no_strangers(candidates: Candidates, rows: Sequence[int], wanted: Collection[str]) -> None:
    if len(rows) == len(wanted):
        return
    strangers = set(wanted) - {candidates.items[row] for row in rows}
    if strangers:
        raise StratawatchError(
            f"{len(strangers)} drawn items are not among the candidates",
            got=repr(min(strangers))[:60],
            hint="the draw belongs to another design",
        )
