"""What moved a metric between two sets of windows: its rates, or the mix of its items, by segment and by side.

The change is taken apart by `rate_and_mix`. Shares of items are counted, rates of positives estimated
(`domain_totals`); intervals are by the delta method in all of the rates. A part is *named* only where its interval
excludes 0 at a confidence that Bonferroni shares out over all parts, and where it is a tenth of the change or more: the
mix is counted, so that its intervals exclude 0 however little it moved.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import starmap
from typing import Final, Literal

import numpy as np

from stratawatch.core.alarms.rate_and_mix import DomainWeights, Numbers, decompose, with_gradient
from stratawatch.core.designs.frozen import FrozenDesign
from stratawatch.core.estimate import Undefined
from stratawatch.core.estimation.blended_ends import blended_ends
from stratawatch.core.estimation.domain_totals import CountedWindow, DomainTotals
from stratawatch.core.estimation.interval import normal_quantile
from stratawatch.core.metrics import metric_named
from stratawatch.core.population import Floats, Segment
from stratawatch.core.verdicts import VerdictsByItem
from stratawatch.errors import StratawatchError

MOST_WINDOWS: Final = 4
"""Windows of either set: more would mix a fall with what was long before it."""

PartKind = Literal["rate", "mix"]
"""Whether calls in a domain are right less or more often than before, or the domain has more or fewer items."""
Side = Literal["called positive", "called negative"]
SIDES: Final[tuple[Side, Side]] = ("called positive", "called negative")
LEAST_SHARE: Final = 0.1
"""Least part of the change, or of its half-width where that is more, that is named."""
_ROUNDING: Final = 1e-12
_OfRates = Callable[[Numbers, Numbers], Numbers]
_KINDS: Final[tuple[PartKind, PartKind]] = ("rate", "mix")


@dataclass(frozen=True)
class LabelledWindow:
    """The frozen design of a window, its verdicts and what was drawn."""

    design: FrozenDesign
    ledger: VerdictsByItem
    drawn: Collection[str]

    @property
    def counted(self) -> CountedWindow:
        """The window's cells with its labels."""
        return CountedWindow(self.design.cells, self.design.atoms, self.design.sample(self.ledger, self.drawn))


@dataclass(frozen=True)
class ValueInterval:
    """A number inside its interval."""

    value: float
    low: float
    high: float

    @property
    def excludes_zero(self) -> bool:
        """Whether the interval lies on one side of 0."""
        return self.low > 0 or self.high < 0

    @property
    def half_width(self) -> float:
        """Half the length of the interval."""
        return (self.high - self.low) / 2


@dataclass(frozen=True)
class PartDomain:
    """What a part is about: a segment, the items without a value in a segment column, or a side of the classifier."""

    column: str | None = None
    segment: Segment | None = None
    side: Side | None = None

    def __str__(self) -> str:
        if self.side is not None:
            return f"items {self.side}"
        return f"no {self.column}" if self.segment is None else self.segment.value


@dataclass(frozen=True)
class ChangePart:
    """What a domain's rate, or its share of the items, has done to the metric.

    `z` is the part over its standard error; `is_named`: the Bonferroni interval excludes 0, and the part is not small.
    """

    kind: PartKind
    domain: PartDomain
    change: ValueInterval
    z: float
    is_named: bool


@dataclass(frozen=True)
class SegmentChange:
    """The metric inside a segment before and after, and its change; `labels` are those of both sets there."""

    segment: Segment
    before: ValueInterval
    after: ValueInterval
    change: ValueInterval
    labels: int


@dataclass(frozen=True)
class MetricChange:
    """The change of a metric between two sets of windows, and its parts, those that explain it best first.

    The parts of one segment column sum to the change, and so do those of the two sides.
    """

    classifier: str
    metric: str
    confidence: float
    before: ValueInterval
    after: ValueInterval
    change: ValueInterval
    parts: tuple[ChangePart, ...]
    segments: tuple[SegmentChange, ...]

    @property
    def named(self) -> tuple[ChangePart, ...]:
        """The parts that are named."""
        return tuple(part for part in self.parts if part.is_named)

    @property
    def named_segments(self) -> frozenset[Segment]:
        """The segments of named parts that moved the metric the way it went."""
        return frozenset(
            part.domain.segment
            for part in self.named
            if part.domain.segment is not None and part.change.value * self.change.value > 0
        )


def what_moved(
    before: Sequence[LabelledWindow],
    after: Sequence[LabelledWindow],
    classifier: str,
    metric: str,
    segments: Sequence[Segment] = (),
    confidence: float = 0.95,
) -> MetricChange | Undefined:
    """Take apart the change of a metric between two sets of one to four windows, by these segments and by side."""
    _check_sets(before, after)
    sets = [one.counted for one in before], [one.counted for one in after]
    columns: Mapping[str, tuple[Segment, ...]] = {
        column: tuple(segment for segment in segments if segment.column == column)
        for column in dict.fromkeys(segment.column for segment in segments)
    }
    whole = _ChangeTable.of(metric, sets, classifier, ())
    if not whole.is_defined:
        return Undefined(f"{metric_named(metric).title} of '{classifier}' is a share of nothing, before or after")
    tables = [_ChangeTable.of(metric, sets, classifier, values) for values in columns.values()]
    tested = [
        one
        for table in (*tables, whole)
        for one in table.parts()
        if one.variance > _ROUNDING**2 or abs(one.value) > _ROUNDING
    ]
    named = normal_quantile(1 - (1 - confidence) / max(len(tested), 1))
    first, last, change = whole.reading(np.ones(2), confidence)
    usual, direction = normal_quantile(confidence), -1.0 if change.value < 0 else 1.0
    least = LEAST_SHARE * max(abs(change.value), change.half_width)
    parts = sorted((one.with_interval(usual, named, least) for one in tested), key=lambda part: -direction * part.z)
    inside = tuple(one for table in tables for one in table.segment_changes(confidence))
    return MetricChange(classifier, metric, confidence, first, last, change, tuple(parts), inside)


@dataclass(frozen=True)
class _PartEstimate:
    kind: PartKind
    domain: PartDomain
    value: float
    variance: float

    @property
    def is_nothing(self) -> bool:
        """Whether it is 0 for certain."""
        return self.variance <= _ROUNDING**2 and abs(self.value) <= _ROUNDING

    def with_interval(self, usual: float, named: float, least: float) -> ChangePart:
        """The part with an interval of so many standard errors; named if it is more than so many, and not small."""
        error = self.variance**0.5
        ends = ValueInterval(self.value, self.value - usual * error, self.value + usual * error)
        z = self.value / error if error > 0 else float(np.copysign(np.inf, self.value))
        return ChangePart(self.kind, self.domain, ends, z, abs(z) > named and abs(self.value) >= least)


@dataclass(frozen=True)
class _ChangeTable:
    """The domains of the segments of one column, or of no column, in both sets of windows."""

    weights: DomainWeights
    before: DomainTotals
    after: DomainTotals
    segments: tuple[Segment, ...]

    @classmethod
    def of(
        cls,
        metric: str,
        sets: tuple[Sequence[CountedWindow], Sequence[CountedWindow]],
        classifier: str,
        segments: tuple[Segment, ...],
    ) -> "_ChangeTable":
        before, after = (DomainTotals.of(one, classifier, segments) for one in sets)
        return cls(DomainWeights.of(metric_named(metric), len(segments) + 1), before, after, segments)

    @property
    def is_defined(self) -> bool:
        """Whether the metric is a share of something, before and after."""
        return all(self._is_share_of_something(one, 1.0) for one in (self.before, self.after))

    def parts(self) -> Iterator[_PartEstimate]:
        """The parts of every segment and of the items without a value there; without segments, those of the sides."""
        if self.segments:
            column = self.segments[0].column
            domains = [PartDomain(column, segment) for segment in (*self.segments, None)]
            members = np.repeat(np.eye(len(domains)), 2, axis=1)
        else:
            domains, members = [PartDomain(side=side) for side in SIDES], np.eye(2)

        def both_kinds(before: Numbers, after: Numbers) -> Numbers:
            kinds = decompose(self.weights, (self.before.shares, self.after.shares), (before, after))
            return np.concatenate([kind @ members.T for kind in kinds], axis=-1)

        values, variances = self._with_variances(both_kinds)
        places = ((kind, domain) for kind in _KINDS for domain in domains)
        for (kind, domain), value, variance in zip(places, values.tolist(), variances.tolist(), strict=True):
            yield _PartEstimate(kind, domain, value, variance)

    def segment_changes(self, confidence: float) -> Iterator[SegmentChange]:
        """The metric inside every segment; those in which it is a share of nothing are left out."""
        for row, segment in enumerate(self.segments):
            inside = np.repeat(np.arange(len(self.segments) + 1) == row, 2).astype(np.float64)
            if all(self._is_share_of_something(one, inside) for one in (self.before, self.after)):
                labels = inside @ (self.before.labels + self.after.labels)
                yield SegmentChange(segment, *self.reading(inside, confidence), round(float(labels)))

    def reading(self, inside: Floats, confidence: float) -> tuple[ValueInterval, ValueInterval, ValueInterval]:
        """The metric over some domains before and after, and its change."""

        def three(before: Numbers, after: Numbers) -> Numbers:
            one = self.weights.ratio(self.before.shares, before, inside)
            two = self.weights.ratio(self.after.shares, after, inside)
            return np.stack([one, two, two - one], axis=-1)

        values, variances = self._with_variances(three)
        heaviest = np.array([self._heaviest(one, inside) for one in (self.before, self.after)])
        ends = blended_ends(values[:2], variances[:2], heaviest, confidence)
        reach = normal_quantile(confidence) * float(variances[2]) ** 0.5
        change = float(values[2])
        rows = zip(values[:2].tolist(), ends.low.tolist(), ends.high.tolist(), strict=True)
        first, last = starmap(ValueInterval, rows)
        return first, last, ValueInterval(change, max(change - reach, -1.0), min(change + reach, 1.0))

    def _with_variances(self, function: _OfRates) -> tuple[Floats, Floats]:
        values, by_before, by_after = with_gradient(function, self.before.rates, self.after.rates)
        return values, self.before.variances(by_before) + self.after.variances(by_after)

    def _heaviest(self, totals: DomainTotals, inside: Floats) -> float:
        """The most that one label moves the metric."""

        def alone(rates: Numbers, _: Numbers) -> Numbers:
            return self.weights.ratio(totals.shares, rates, inside)[..., None]

        _, slopes, _ = with_gradient(alone, totals.rates, totals.rates)
        return float((np.abs(slopes[0]) * totals.heaviest / np.maximum(totals.sizes, 1)).max())

    def _is_share_of_something(self, totals: DomainTotals, inside: Floats | float) -> bool:
        return float(self.weights.sums(totals.shares, totals.rates, inside)[1]) > 0


def _check_sets(before: Sequence[LabelledWindow], after: Sequence[LabelledWindow]) -> None:
    for windows, which in ((before, "before"), (after, "after")):
        if not 1 <= len(windows) <= MOST_WINDOWS:
            raise StratawatchError(
                f"{len(windows)} windows {which} the change cannot be compared",
                expected=f"1 to {MOST_WINDOWS} windows",
            )
