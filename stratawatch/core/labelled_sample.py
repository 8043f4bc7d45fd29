"""A labelled sample: the items drawn from every stratum, and their labels counted by fold and atom."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final

import numpy as np

from stratawatch.core.population import Candidates, Counts, Floats, Segment
from stratawatch.core.verdicts import Verdict, VerdictsByItem
from stratawatch.errors import StratawatchError

NONE_ASSUMED: Final[Mapping[str, Verdict]] = MappingProxyType({})
"""No verdict stands in for a missing one."""

FOLDS: Final = 5
"""Parts of the labels; the working model that predicts one part is fitted to the others."""


@dataclass(frozen=True)
class LabelCounts:
    """Labels and positive labels, folds x atoms.

    `given`: those that people gave, where others are assumed in place of missing answers; models are fitted to them.
    `weighted`: sums of what labels count where rounds are joined; None: 1 each (`core.estimation.round_weights`).
    """

    labelled: Floats
    positive: Floats
    given: "LabelCounts | None" = None
    weighted: "LabelCounts | None" = None

    @property
    def in_estimates(self) -> "LabelCounts":
        """The sums that totals and variances are made of."""
        return self.weighted or self


@dataclass(frozen=True)
class LabelledItems:
    """The candidates with a label, their folds, 1 where the label is positive, and what it counts (None: 1 each)."""

    candidates: Candidates
    rows: Counts
    folds: Counts
    positive: Floats
    weights: Floats | None = None

    def inside(self, column: str, value: str, atoms: int) -> LabelCounts:
        """The label counts of items that have this value in this segment column."""
        return self.counts(self.within(column, value), atoms)

    def within(self, column: str, value: str) -> Floats:
        """1 for the rows that have this value in this segment column, else 0."""
        values = self.candidates.segments.get(column)
        if values is None:
            raise StratawatchError(
                f"the candidates carry no segment column '{column}'",
                expected=f"one of {', '.join(self.candidates.segments) or 'none'}",
            )
        return np.array([values[row] == value for row in self.rows.tolist()], dtype=np.float64)

    def counts(self, flags: Floats, atoms: int) -> LabelCounts:
        """The labels with a flag of 1, and what they count, by fold and atom."""
        weighted = None if self.weights is None else self._sums(flags * self.weights, atoms)
        return replace(self._sums(flags, atoms), weighted=weighted)

    def _sums(self, weights: Floats, atoms: int) -> LabelCounts:
        place = self.folds * atoms + self.candidates.atoms[self.rows]
        answered, yes = (
            np.bincount(place, weights=values, minlength=FOLDS * atoms).reshape(FOLDS, atoms).astype(np.float64)
            for values in (weights, weights * self.positive)
        )
        return LabelCounts(answered, yes)


@dataclass(frozen=True)
class LabelledSample:
    """Items drawn by stratum; labels and positive labels, folds x atoms, of everything and inside segments.

    Made of items by `labelled_sample`, or of counts, as simulations do: `segments` then holds those of segments.
    """

    drawn: Counts
    labelled: Floats
    positive: Floats
    segments: Mapping[Segment, LabelCounts] = field(default_factory=dict)
    items: LabelledItems | None = None
    given: LabelCounts | None = None
    weighted: LabelCounts | None = None

    @property
    def everywhere(self) -> LabelCounts:
        """The label counts of all items."""
        return LabelCounts(self.labelled, self.positive, self.given, self.weighted)

    def inside(self, segment: Segment) -> LabelCounts:
        """The label counts of items inside a segment."""
        if self.items is None:
            return self.segments[segment]
        return self.items.inside(segment.column, segment.value, self.labelled.shape[1])


def labelled_sample(
    candidates: Candidates,
    strata: Counts,
    ledger: VerdictsByItem,
    drawn: Collection[str],
    assumed: Mapping[str, Verdict] = NONE_ASSUMED,
) -> LabelledSample:
    """Match the drawn items and their verdicts with the candidates; verdicts of other items do not count.

    `strata` is the stratum of every atom; `assumed` are verdicts that stand in for missing ones.
    """
    drawn_set = drawn if isinstance(drawn, (set, frozenset)) else set(drawn)
    rows = [row for row, item in enumerate(candidates.items) if item in drawn_set]
    _check_drawn(candidates, rows, drawn_set)
    verdicts = [assumed.get(item, ledger.verdicts.get(item)) for item in (candidates.items[row] for row in rows)]
    labels = [(row, verdict == "yes") for row, verdict in zip(rows, verdicts, strict=True) if verdict in ("yes", "no")]
    answered = np.array([row for row, _ in labels], dtype=np.int64)
    positive = np.array([yes for _, yes in labels], dtype=np.float64)
    found = LabelledItems(candidates, answered, _folds(candidates, strata, answered), positive)
    homes = strata[candidates.atoms[np.array(rows, dtype=np.int64)]]
    count = int(strata.max(initial=-1)) + 1
    counts = found.counts(np.ones_like(positive), len(strata))
    draws = np.bincount(homes, minlength=count).astype(np.int64)
    given = None
    if assumed:
        people = np.array([candidates.items[row] not in assumed for row, _ in labels], dtype=np.float64)
        given = found.counts(people, len(strata))
    return LabelledSample(draws, counts.labelled, counts.positive, items=found, given=given)


def assign_folds(strata: Counts) -> Counts:
    """Folds of rows that stand in their order within each stratum: (running number + stratum) mod 5.

    >>> assign_folds(np.array([0, 0, 1, 0, 1])).tolist()
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
    folds[order] = assign_folds(strata[candidates.atoms[rows[order]]])
    return folds


def _check_drawn(candidates: Candidates, rows: Sequence[int], drawn_set: Collection[str]) -> None:
    if len(rows) == len(drawn_set):
        return
    not_found = set(drawn_set) - {candidates.items[row] for row in rows}
    if not_found:
        raise StratawatchError(
            f"{len(not_found)} drawn items are not among the candidates",
            got=repr(min(not_found))[:60],
            hint="the draw belongs to another design",
        )
