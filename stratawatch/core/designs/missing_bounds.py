"""Worst-case bounds: how far missing answers could move an estimate, however they had come out.

A metric is a ratio of sums that are linear in the positives on both sides of a classifier, and each answer adds what
its stratum's weight is worth to one side. With the other side fixed such a ratio only rises or only falls with the
positives of a side, so it is least and greatest where all missing answers of a side say the same: four ways at most
hold the worst of all 2^m. The working model that assists an estimate learns from given answers alone, so that the
weights are the same in each of them.

The span takes its ends from intervals that miss half as often as the estimate's: where the truth is the worst way, it
lies at one end of the span, and all misses of an interval may be on that side.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

import numpy as np

from stratawatch.core.designs.frozen import FrozenDesign
from stratawatch.core.drawn_items import DrawnItems
from stratawatch.core.estimate import Estimate, IntervalEstimate, Undefined
from stratawatch.core.estimation.missing_answers import MissingLean
from stratawatch.core.metrics import A, metric_named
from stratawatch.core.population import Counts, Segment
from stratawatch.core.verdicts import Verdict, VerdictsByItem
from stratawatch.formatting import percent

REWEIGHTING: Final = "missing answers are taken to be like those of items alike in calls and scores"
"""What estimates assume of drawn items that have no answer."""
MOST_UNEXPLAINED: Final = 0.5
"""The largest part of the bounds' span that an interval may leave unexplained where its assumption carries too much."""
MOST_MISSING: Final = 0.5
"""The largest part of a metric's drawn items that may have no answer, also at random."""

_Outcomes = Mapping[tuple[str, str, Segment | None], IntervalEstimate | Undefined]


@dataclass(frozen=True)
class MissingBounds:
    """The least and the greatest value of an estimate, over all ways in which its missing answers could have come out.

    `low` and `high` add sampling error: the lowest and the highest end of an interval in any of these ways, one that
    misses half as often as the estimate's.
    `missing` of `drawn` items on the sides that the metric reads have no answer.

    >>> bounds = MissingBounds(lowest=0.6, highest=0.8, low=0.5, high=0.9, missing=10, drawn=50)
    >>> bounds.width, bounds.missing_share
    (0.4, 0.2)
    """

    lowest: float
    highest: float
    low: float
    high: float
    missing: int
    drawn: int

    @property
    def width(self) -> float:
        """The length of the span with sampling error, to be compared with that of the interval."""
        return self.high - self.low

    @property
    def missing_share(self) -> float:
        """The part of the drawn items that has no answer."""
        return self.missing / max(self.drawn, 1)

    def share_of_span(self, interval: IntervalEstimate) -> float:
        """The part of the span that the interval does not explain: 0 where they agree, towards 1 where they do not."""
        return max(0.0, 1 - (interval.high - interval.low) / self.width) if self.width > 0 else 0.0


def blind_reason(bounds: MissingBounds | None, interval: IntervalEstimate, lean: MissingLean | None) -> str:
    """Why missing answers leave an estimate unknown; empty where they do not.

    Bounds of recall are wide wherever answers are missing, also at random: they alone make nothing blind. They do
    where the assumption of the interval is in doubt, or carries more than the answers do.
    """
    if bounds is None or bounds.share_of_span(interval) <= MOST_UNEXPLAINED:
        return ""
    if lean is not None:
        why = f"{lean.sentence}, so they may not be like the answers that came"
    elif bounds.missing_share > MOST_MISSING:
        why = "most answers are missing"
    else:
        return ""
    half = interval.half_width
    return (
        f"{why}; with the {bounds.missing} of {bounds.drawn} that are missing here it may be "
        f"{percent(bounds.low, half)} to {percent(bounds.high, half)}"
    )


def missing_bounds(
    design: FrozenDesign, ledger: VerdictsByItem, drawn: Collection[str], found: Sequence[Estimate]
) -> tuple[MissingBounds | None, ...]:
    """The bounds of estimates made of these verdicts; None where all answers came or there is no value."""
    missing = _missing_rows(design, ledger, drawn)
    if not missing or not found:
        return (None,) * len(found)
    ways = _Ways(design, ledger, drawn, found, missing)
    return tuple(ways.bounds(one) for one in found)


class _Ways:
    """The estimates in each of the four ways, by classifier, and what is missing where."""

    def __init__(
        self,
        design: FrozenDesign,
        ledger: VerdictsByItem,
        drawn: Collection[str],
        found: Sequence[Estimate],
        missing: Sequence[int],
    ) -> None:
        self._design = design
        self._ledger = ledger
        self._drawn = DrawnItems.of(drawn)
        self._found = found
        self._missing = np.array(missing, dtype=np.int64)
        items = design.candidates.items
        self._all = np.array([row for row, item in enumerate(items) if item in self._drawn], dtype=np.int64)
        self._made: dict[tuple[bool, ...], _Outcomes] = {}

    def bounds(self, one: Estimate) -> MissingBounds | None:
        """Those of one estimate."""
        if not isinstance(one.result, IntervalEstimate):
            return None
        missing, drawn = (self._on_sides(rows, one) for rows in (self._missing, self._all))
        if missing == 0:
            return None
        outcomes = [made[one.classifier, one.metric, one.segment] for made in self._of(one.classifier)]
        defined = [outcome for outcome in outcomes if isinstance(outcome, IntervalEstimate)]
        if len(defined) < len(outcomes):
            # In one of the ways nothing is known of the metric.
            return MissingBounds(0.0, 1.0, 0.0, 1.0, missing, drawn)
        values = [outcome.value for outcome in defined]
        low, high = min(outcome.low for outcome in defined), max(outcome.high for outcome in defined)
        return MissingBounds(min(values), max(values), low, high, missing, drawn)

    def _of(self, classifier: str) -> Iterator[_Outcomes]:
        """All estimates in the ways that are worst for one classifier."""
        cells, atoms = self._design.cells, self._design.candidates.atoms[self._missing]
        on_a = cells.positive[atoms, cells.classifiers.index(classifier)]
        for yes_on_a, yes_on_b in product((False, True), repeat=2):
            said = np.where(on_a, yes_on_a, yes_on_b)
            key = tuple(said.tolist())
            if key not in self._made:
                self._made[key] = self._estimates(key)
            yield self._made[key]

    def _estimates(self, said: Sequence[bool]) -> _Outcomes:
        items = self._design.candidates.items
        assumed: Mapping[str, Verdict] = {
            items[row]: "yes" if yes else "no" for row, yes in zip(self._missing.tolist(), said, strict=True)
        }
        made = self._design.estimate(
            self._ledger,
            self._drawn,
            confidence=(1 + self._found[0].confidence) / 2,
            metrics=list(dict.fromkeys(one.metric for one in self._found)),
            segments=list(dict.fromkeys(one.segment for one in self._found if one.segment is not None)),
            assumed=assumed,
        )
        return {(one.classifier, one.metric, one.segment): one.result for one in made}

    def _on_sides(self, rows: Counts, one: Estimate) -> int:
        """How many of these candidates are on the sides that the metric reads, and in its segment."""
        cells, candidates = self._design.cells, self._design.candidates
        place, atoms = cells.classifiers.index(one.classifier), candidates.atoms[rows]
        sides = metric_named(one.metric).sides
        inside = np.zeros(len(rows), dtype=np.bool_)
        for side in sides:
            inside |= (cells.positive if side == A else cells.negative)[atoms, place]
        return sum(self._is_in(row, one.segment) for row in rows[inside].tolist())

    def _is_in(self, row: int, segment: Segment | None) -> bool:
        return segment is None or self._design.candidates.segments[segment.column][row] == segment.value


def _missing_rows(design: FrozenDesign, ledger: VerdictsByItem, drawn: Collection[str]) -> list[int]:
    there = set(drawn)
    return [
        row
        for row, item in enumerate(design.candidates.items)
        if item in there and ledger.verdicts.get(item) not in ("yes", "no")
    ]
