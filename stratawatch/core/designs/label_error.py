"""Estimates corrected for the errors of labels, which gold items measure.

Annotators say yes to a share se of the positives (sensitivity) and no to a share sp of the negatives (specificity). Of
items of which a share p is positive they then call se p + (1 - sp)(1 - p) positive, so that a labelled share q means
p = (q - (1 - sp)) / (se + sp - 1) (Rogan and Gladen 1978, American Journal of Epidemiology 107:71). That is done on
each side of a classifier, where the share is the precision or the false-omission rate that the labels gave; every other
metric follows from both shares and the sides' sizes. It takes errors to be as frequent at any score.

Four estimates make a corrected one: both labelled shares, se and sp. Its ends are quantiles of what it is when the four
are drawn, each from two halves of a normal distribution that have the ends of its own interval where it has them. A
share that comes out below 0 counts as 0, as the estimate does. The interval of a labelled share is about the labels
that these items would get; those err by chance too, more or fewer of them than se and sp say, which widens it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from stratawatch.core.designs.frozen import FrozenDesign
from stratawatch.core.estimate import Estimate, IntervalEstimate, Undefined
from stratawatch.core.estimation.effective_sample_size import effective_sample_size
from stratawatch.core.estimation.interval import normal_quantile
from stratawatch.core.estimation.wilson import wilson_interval
from stratawatch.core.metrics import A, B, RatioMetric, SideTotals, metric_named
from stratawatch.core.population import Floats, Segment
from stratawatch.errors import StratawatchError

SIDE_SHARES: Final = ("precision", "false_omission_rate")
"""The metrics that are the shares of positives on both sides."""
_DRAWS: Final = 20_000
_LEAST_EXCESS: Final = 1e-6
"""Draws in which labels are no better than chance count as a hair better: there any share is possible."""
NO_BETTER_THAN_CHANCE: Final = "the gold items do not show that labels are better than chance"

_Ends = tuple[float, float, float]
"""A value, the low and the high end of its interval."""
_Place = tuple[str, Segment | None]


@dataclass(frozen=True)
class GoldAnswers:
    """What annotators said of gold items, whose truth is known and who do not know them.

    >>> gold = GoldAnswers(positives=100, said_yes=95, negatives=200, said_no=196)
    >>> gold.sensitivity, gold.specificity
    (0.95, 0.98)
    """

    positives: int
    said_yes: int
    negatives: int
    said_no: int

    def __post_init__(self) -> None:
        if not (0 <= self.said_yes <= self.positives and 0 <= self.said_no <= self.negatives):
            raise StratawatchError(
                "the gold answers do not add up",
                expected="0 <= said_yes <= positives and 0 <= said_no <= negatives",
                got=f"{self.said_yes} of {self.positives}, and {self.said_no} of {self.negatives}",
            )
        if not (self.positives and self.negatives):
            raise StratawatchError(
                "gold items of one kind alone do not tell how often labels are wrong",
                expected="at least one positive and one negative, better a hundred of each",
                got=f"{self.positives} positives and {self.negatives} negatives",
            )

    @property
    def sensitivity(self) -> float:
        """The share of the positive gold items that was called so."""
        return self.said_yes / self.positives

    @property
    def specificity(self) -> float:
        """The share of the negative gold items that was called so."""
        return self.said_no / self.negatives

    def ends(self, confidence: float) -> tuple[_Ends, _Ends]:
        """Sensitivity and specificity with the ends of their intervals."""
        both = ((self.sensitivity, self.positives), (self.specificity, self.negatives))
        found = [(share, *wilson_interval(np.array(share), np.array(float(n)), confidence)) for share, n in both]
        se, sp = ((value, float(low), float(high)) for value, low, high in found)
        return se, sp


def corrected_estimates(
    design: FrozenDesign, found: Sequence[Estimate], shares: Sequence[Estimate], gold: GoldAnswers
) -> tuple[IntervalEstimate | Undefined, ...]:
    """`found` without the errors of labels; `shares` are the SIDE_SHARES of the same labels, by the same design."""
    by_place: dict[tuple[str, Segment | None, str], Estimate] = {
        (one.classifier, one.segment, one.metric): one for one in shares
    }
    corrections: dict[_Place, _Correction | Undefined] = {}
    outcomes: list[IntervalEstimate | Undefined] = []
    for one in found:
        place = one.classifier, one.segment
        if place not in corrections:
            sides = [by_place[(*place, name)] for name in SIDE_SHARES]
            corrections[place] = _correction(_sizes(design, *place), sides, gold)
        by = corrections[place]
        metric = metric_named(one.metric)
        if isinstance(one.result, Undefined):
            outcomes.append(one.result)
        else:
            outcomes.append(by if isinstance(by, Undefined) else by.of(metric, one.result))
    return tuple(outcomes)


@dataclass(frozen=True)
class _Correction:
    """The sizes of both sides; sensitivity and specificity, and the labelled shares, each with its ends."""

    sizes: tuple[float, float]
    parts: tuple[_Ends, _Ends, _Ends, _Ends]
    confidence: float

    def of(self, metric: RatioMetric, labelled: IntervalEstimate) -> IntervalEstimate | Undefined:
        """A metric without the errors of labels; `labelled` is what the labels say."""
        if metric.size(self._totals) <= 0:
            return Undefined(f"without the errors of labels nothing is left that {metric.title} is a share of")
        value, tail = float(metric.value(self._totals)), (1 - self.confidence) / 2
        drawn = metric.value(self._drawn_totals)[metric.size(self._drawn_totals) > 0]
        low, high = np.quantile(drawn, (tail, 1 - tail))
        low, high = np.minimum(low, value), np.maximum(high, value)
        variance = ((high - low) / (2 * normal_quantile(self.confidence))) ** 2
        size = np.array(labelled.n_eff)
        n_eff = effective_sample_size(np.array(value), variance, low, high, size, self.confidence)
        return IntervalEstimate(value, float(low), float(high), float(n_eff))

    @cached_property
    def _totals(self) -> SideTotals:
        return self._corrected(*(np.array(value) for value, _, _ in self.parts))

    @cached_property
    def _drawn_totals(self) -> SideTotals:
        # The same draws for everybody: the same labels always give the same interval.
        steps = np.random.default_rng(0).standard_normal((len(self.parts), _DRAWS // 2))
        steps = np.concatenate([steps, -steps], axis=1) / normal_quantile(self.confidence)
        return self._corrected(
            *(
                np.clip(value + step * np.where(step < 0, value - low, high - value), 0.0, 1.0)
                for step, (value, low, high) in zip(steps, self.parts, strict=True)
            )
        )

    def _corrected(self, on_a: Floats, on_b: Floats, se: Floats, sp: Floats) -> SideTotals:
        excess = np.maximum(se + sp - 1, _LEAST_EXCESS)
        tp, fn = (
            size * np.clip((share - (1 - sp)) / excess, 0.0, 1.0)
            for size, share in zip(self.sizes, (on_a, on_b), strict=True)
        )
        positive, negative = (np.full_like(tp, size) for size in self.sizes)
        return SideTotals(positive, negative, tp, fn)


def _correction(sizes: tuple[float, float], shares: Sequence[Estimate], gold: GoldAnswers) -> _Correction | Undefined:
    confidence = shares[0].confidence
    se, sp = gold.ends(confidence)
    if se[1] + sp[1] <= 1:
        return Undefined(NO_BETTER_THAN_CHANCE)
    ends: list[_Ends] = []
    for size, share in zip(sizes, shares, strict=True):
        if isinstance(share.result, Undefined):
            if size > 0:
                return share.result
            ends.append((0.0, 0.0, 0.0))
        else:
            ends.append(_widened(share.result, se[0], sp[0], size, confidence))
    on_a, on_b = ends
    return _Correction(sizes, (on_a, on_b, se, sp), confidence)


def _sizes(design: FrozenDesign, classifier: str, segment: Segment | None) -> tuple[float, float]:
    """The items that a classifier calls positive and negative, all of them or those of a segment."""
    cells, place = design.cells, design.classifiers.index(classifier)
    sizes: Floats = cells.sizes
    if segment is not None:
        sizes = np.array([atom.segments.get(segment, 0) for atom in design.atoms], dtype=np.float64)
    sides = {A: cells.positive[:, place], B: cells.negative[:, place]}
    return float(sizes @ sides[A]), float(sizes @ sides[B])


def _widened(labelled: IntervalEstimate, se: float, sp: float, size: float, confidence: float) -> _Ends:
    """The labelled share of a side with ends that hold what se and sp make of its true share."""
    share = min(max((labelled.value - (1 - sp)) / max(se + sp - 1, _LEAST_EXCESS), 0.0), 1.0)
    by_chance = normal_quantile(confidence) * ((share * se * (1 - se) + (1 - share) * sp * (1 - sp)) / size) ** 0.5
    below, above = labelled.value - labelled.low, labelled.high - labelled.value
    return (
        labelled.value,
        labelled.value - float(np.hypot(below, by_chance)),
        labelled.value + float(np.hypot(above, by_chance)),
    )
