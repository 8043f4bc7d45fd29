"""Metrics of a classifier: ratios of its true and false positives and negatives. A new metric is one entry here.

Everything else follows from an entry's two rows of weights: the gradient, the interval at small counts, what a sample
has to hold, which designs can serve it, how far a label of a cluster moves it.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np

from stratawatch.core.cells import Flags
from stratawatch.core.population import Floats
from stratawatch.errors import StratawatchError

A: Final = 0
"""The side of the items that a classifier calls positive: its place on the last axis of arrays about both sides."""
B: Final = 1
"""The side of the items that it calls negative."""

Weights = tuple[float, float, float, float]
"""What a true positive, a false positive, a false negative and a true negative count."""

_ROUNDING: Final = 1e-24
_OUTCOMES: Final = ("a true positive", "a false positive", "a false negative", "a true negative")
_DOMAINS: Final = {
    (True, True, False, False): "called positive",
    (False, False, True, True): "called negative",
    (True, False, True, False): "positive",
    (False, True, False, True): "negative",
    (True, True, True, False): "positive or called so",
}


class ConfusionCounts(NamedTuple):
    """True and false positives, false and true negatives: numbers, or arrays of one shape."""

    tp: Floats
    fp: Floats
    fn: Floats
    tn: Floats

    @classmethod
    def by_item(cls, calls: Flags, truth: Flags) -> "ConfusionCounts":
        """Arrays as long as the items: each item is 1 in one of the four, and 0 in the others."""
        if calls.shape != truth.shape:
            raise StratawatchError(
                "calls and truth do not belong together",
                expected="as many of the one as of the other",
                got=f"{calls.size} calls and {truth.size} truths",
            )
        outcomes = (calls & truth, calls & ~truth, ~calls & truth, ~calls & ~truth)
        return cls(*(np.asarray(outcome, dtype=np.float64) for outcome in outcomes))

    @classmethod
    def of_calls(cls, calls: Flags, truth: Flags) -> "ConfusionCounts":
        """The four counts.

        >>> counts = ConfusionCounts.of_calls(np.array([True, True, False]), np.array([True, False, False]))
        >>> [int(n) for n in counts]
        [1, 1, 0, 1]
        """
        return cls(*(np.asarray(outcome.sum(axis=-1)) for outcome in cls.by_item(calls, truth)))


class SideTotals(NamedTuple):
    """Items that a classifier calls positive and negative, and the positives among each: arrays of one shape."""

    positive: Floats
    negative: Floats
    tp: Floats
    fn: Floats

    @classmethod
    def expected(cls, positive: Flags, negative: Flags, sizes: Floats, rates: Floats) -> "SideTotals":
        """Totals of cells of these sizes, each called so or so, at these shares of positives."""
        a, b = sizes * positive, sizes * negative
        return cls(*(np.asarray(total) for total in (a.sum(), b.sum(), a @ rates, b @ rates)))


class MetricDomain(NamedTuple):
    """How many items a metric is a share of. `listed`: one can list them without a label, and so draw from them."""

    size: float
    listed: bool = True


@dataclass(frozen=True)
class RatioMetric:
    """A weighted sum of the confusion counts over another one that it is part of: 0 <= numerator <= denominator.

    `title` is its name inside a sentence; `default_margin` the half-width that is aimed at where no goal names one.
    """

    name: str
    title: str
    numerator: Weights
    denominator: Weights
    default_margin: float
    lower_is_better: bool = False

    def __post_init__(self) -> None:
        inside = all(0 <= n <= d for n, d in zip(self.numerator, self.denominator, strict=True))
        if not inside or not any(self.label_effects + self._label_effects(self.denominator)):
            raise StratawatchError(
                f"'{self.name}' is no metric that labels tell",
                expected="0 <= numerator <= denominator, with weights that a label changes",
                got=f"{self.numerator} over {self.denominator}",
            )

    @cached_property
    def label_effects(self) -> tuple[float, float]:
        """What a positive in a negative's place adds to the numerator, on A and on B."""
        return self._label_effects(self.numerator)

    @cached_property
    def members(self) -> tuple[bool, bool, bool, bool]:
        """Which of the four outcomes it is a share of."""
        tp, fp, fn, tn = (weight > 0 for weight in self.denominator)
        return tp, fp, fn, tn

    @cached_property
    def sides(self) -> tuple[int, ...]:
        """The sides whose labels tell it."""
        tp, fp, fn, tn = self.members
        return (A,) * (tp or fp) + (B,) * (fn or tn)

    @cached_property
    def is_listed(self) -> bool:
        """Whether calls alone say which items it is a share of, so that they can be counted without a label."""
        return self._label_effects(self.denominator) == (0, 0)

    @cached_property
    def is_plain_share(self) -> bool:
        """Whether it counts items, each as much as any other."""
        return self.share_odds == 1 and set(self.denominator) <= {0, 1}

    @cached_property
    def share_odds(self) -> float | None:
        """The w where the metric is w J/(1 + (w - 1) J), J the plain share of its members; else None.

        F1 is 2 J/(1 + J), J = TP/(TP + FP + FN) the Jaccard index.
        """
        pairs = [(n, d) for n, d in zip(self.numerator, self.denominator, strict=True) if d]
        hits, misses = {d for n, d in pairs if n == d}, {d for n, d in pairs if n == 0}
        whole = all(n in (0, d) for n, d in pairs)
        return hits.pop() / misses.pop() if whole and len(hits) == len(misses) == 1 else None

    @cached_property
    def odds(self) -> tuple[int, int] | None:
        """The outcome that counts and the other one, where it is a plain share of one on each side (recall: TP, FN)."""
        hits = [place for place, weight in enumerate(self.numerator) if weight]
        misses = [place for place, member in enumerate(self.members) if member and place not in hits]
        apart = len(hits) == len(misses) == 1 and hits[0] // 2 != misses[0] // 2
        return (hits[0], misses[0]) if apart and self.is_plain_share else None

    def is_complement_of(self, other: "RatioMetric") -> bool:
        """Whether it is one minus the other one, whatever the labels."""
        rest = tuple(d - n for n, d in zip(other.numerator, other.denominator, strict=True))
        return (self.numerator, self.denominator) == (rest, other.denominator)

    @cached_property
    def depends_on_calls(self) -> bool:
        """Whether it says anything of the classifier; the prevalence does not."""
        return any(weights[:2] != weights[2:] for weights in (self.numerator, self.denominator))

    @cached_property
    def has_baseline(self) -> bool:
        """Whether labelled items alone make a baseline of it: it is a plain share that depends on the calls."""
        return self.is_plain_share and self.depends_on_calls

    @property
    def no_members(self) -> str:
        """That there is nothing to divide by, in words."""
        if all(self.members):
            return "there are no labelled items"
        others = " or ".join(word for word, member in zip(_OUTCOMES, self.members, strict=True) if member)
        return f"no labelled item is {_DOMAINS.get(self.members, others)}"

    @property
    def method(self) -> str:
        """How its estimate comes about, in a few words."""
        return "difference estimate" if self.is_listed else "ratio of difference estimates"

    @property
    def small_sample_interval(self) -> str:
        """How the interval comes about where counts are small."""
        if self.is_listed and self.is_plain_share:
            return "FF/MID"
        return "MOVER-R on FF/MID" if self.odds else "MOVER on FF/MID"

    def value(self, totals: SideTotals) -> Floats:
        """The metric; 0 where it is 0/0."""
        return safe_divide(_sum(self.numerator, totals), _sum(self.denominator, totals))

    def slopes(self, totals: SideTotals) -> tuple[Floats, Floats]:
        """Change of the metric per positive more on A, and on B."""
        on_a, on_b = zip(self.label_effects, self._label_effects(self.denominator), strict=True)
        return self._slope(totals, *on_a), self._slope(totals, *on_b)

    def gradient(self, positive: Flags, negative: Flags, sizes: Floats, rates: Floats) -> Floats:
        """Change of the metric per unit change of an item's label, for the items of each cell."""
        on_a, on_b = self.slopes(SideTotals.expected(positive, negative, sizes, rates))
        return np.where(positive, on_a, 0.0) + np.where(negative, on_b, 0.0)

    def hits(self, totals: SideTotals) -> Floats:
        """The numerator."""
        return np.asarray(_sum(self.numerator, totals), dtype=np.float64)

    def size(self, totals: SideTotals) -> Floats:
        """The items that the metric is a share of, as far as one can say."""
        tp, fp, fn, tn = (float(member) for member in self.members)
        return np.asarray(_sum((tp, fp, fn, tn), totals), dtype=np.float64)

    def share(self, counts: ConfusionCounts) -> tuple[Floats, Floats]:
        """The members that count, and all members, of a metric with `share_odds`.

        >>> counts = ConfusionCounts(*(np.array(float(n)) for n in (80, 5, 20, 895)))
        >>> [float(n) for n in metric_named("recall").share(counts)]
        [80.0, 100.0]
        """
        zero = np.zeros_like(counts.tp)
        return (
            sum((count for count, weight in zip(counts, self.numerator, strict=True) if weight), zero),
            sum((count for count, member in zip(counts, self.members, strict=True) if member), zero),
        )

    def of_share(self, share: Floats) -> Floats:
        """The metric whose members' plain share is this: of `share_odds`."""
        odds = self.share_odds or 1.0
        return np.asarray(odds * share / (1 + (odds - 1) * share), dtype=np.float64)

    def denominator_size(self, positive: float, negative: float, positives: float | None = None) -> MetricDomain | None:
        """How many items a plain random sample would be drawn from; `positives` is the number of positives, if known.

        None where they cannot be counted: without the positives, or where the items are neither called alike nor alike.
        """
        tp, fp, fn, tn = self.members
        if self.is_listed:
            return MetricDomain(positive * tp + negative * tn)
        if positives is None or tp != fn or fp != tn:
            return None
        return MetricDomain(positives if tp else positive + negative - positives, listed=False)

    @staticmethod
    def _label_effects(weights: Weights) -> tuple[float, float]:
        tp, fp, fn, tn = weights
        return tp - fp, fn - tn

    def _slope(self, totals: SideTotals, above: float, below: float) -> Floats:
        """(N' D - D' N)/D^2, N' and D' what a positive in a negative's place adds to numerator N and denominator D."""
        denominator = np.asarray(_sum(self.denominator, totals))
        if below == 0:
            return safe_divide(np.full_like(denominator, above), denominator)
        # Subtracted as weights, before any count comes in: what cancels leaves no rounding behind.
        tp, fp, fn, tn = (above * d - below * n for n, d in zip(self.numerator, self.denominator, strict=True))
        return safe_divide(_sum((tp, fp, fn, tn), totals), denominator**2)


METRICS: Final[dict[str, RatioMetric]] = {
    metric.name: metric
    for metric in (
        RatioMetric("precision", "precision", (1, 0, 0, 0), (1, 1, 0, 0), 0.03),
        RatioMetric("recall", "recall", (1, 0, 0, 0), (1, 0, 1, 0), 0.05),
        RatioMetric(
            "false_omission_rate", "false-omission rate", (0, 0, 1, 0), (0, 0, 1, 1), 0.01, lower_is_better=True
        ),
        RatioMetric("f1", "F1", (2, 0, 0, 0), (2, 1, 1, 0), 0.04),
        RatioMetric("accuracy", "accuracy", (1, 0, 0, 1), (1, 1, 1, 1), 0.02),
        RatioMetric("specificity", "specificity", (0, 0, 0, 1), (0, 1, 0, 1), 0.02),
        RatioMetric("negative_predictive_value", "negative predictive value", (0, 0, 0, 1), (0, 0, 1, 1), 0.01),
        RatioMetric("prevalence", "prevalence", (1, 0, 1, 0), (1, 1, 1, 1), 0.01, lower_is_better=True),
    )
}
"""By name, in the order of reports; the weights are those of (TP, FP, FN, TN)."""
REPORTED: Final = ("precision", "recall", "false_omission_rate")
"""What is estimated where nobody asks for anything else."""
BASELINES_REPORTED: Final = ("precision", "recall", "false_omission_rate", "accuracy")
"""What a baseline is taken of where nobody asks for anything else."""


def metric_named(name: str) -> RatioMetric:
    """The metric of that name."""
    if name not in METRICS:
        raise StratawatchError(f"there is no metric '{name}'", expected=f"one of {', '.join(METRICS)}")
    return METRICS[name]


def baseline_metric(name: str) -> RatioMetric:
    """The metric of that name, if labelled items alone make a baseline of it."""
    metric = METRICS.get(name)
    if metric is None or not metric.has_baseline:
        raise StratawatchError(
            f"there is no baseline of '{name}'",
            expected=f"one of {', '.join(baseline_names())}",
            hint="others are no shares",
        )
    return metric


def baseline_names() -> list[str]:
    """The metrics that there are baselines of."""
    return [name for name, metric in METRICS.items() if metric.has_baseline]


def safe_divide(numerator: Floats, denominator: Floats) -> Floats:
    """A quotient; 0 where there is nothing to divide by, or nothing but rounding."""
    nothing = denominator < _ROUNDING
    return np.where(nothing, 0.0, numerator / np.where(nothing, 1.0, denominator))


def _sum(weights: Weights, totals: SideTotals) -> Floats:
    """The weighted sum of the four counts, FP = |A| - TP and TN = |B| - FN.

    A side that counts all its items alike enters as |A| or |B|: as TP + (|A| - TP) it would be off by rounding.
    """
    tp, fp, fn, tn = weights
    terms = ((fp, totals.positive), (tn, totals.negative), (tp - fp, totals.tp), (fn - tn, totals.fn))
    return sum((weight * total for weight, total in terms if weight), np.zeros(()))
