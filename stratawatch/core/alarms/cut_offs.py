"""Which cut-off of a classifier's own score would hold a limit, and what it would cost: precision, recall, volume.

At a cut-off k the classifier would call A(k) items positive. How many is told by the pool of candidates, which has
about three times the labels and the own score bin of each: by stratum, and inside of it by today's call, the items
times the share of candidates at k or above, so that A is exact at the cut-off in use. Of labels, with I = 1 where an
item's score is at least k and w = N_h/n_h, precision = sum w I y / sum w I, a ratio of two sums of like errors, and
TP(k) = A(k) x precision; the positives P of the window are the difference estimator's.

Intervals are by the delta method. In a metric M of TP and FN = P - TP every label has the error
(M_TP - M_FN) I (y - precision) + M_FN (y - m), and A(k) that of its candidates (two-phase sampling: Särndal, Swensson
and Wretman 1992, 5.6 and 9.3).

Raising the cut-off mends what is wrong among the calls, lowering it what is missed. Suggested is the nearest one to
that in use whose value holds the limit: of those that raise it the lowest. Nothing is applied.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from stratawatch.core.alarms.moved import MOST_WINDOWS, ValueInterval
from stratawatch.core.alarms.scored_labels import ScoredLabels, ScoredWindow
from stratawatch.core.estimate import Undefined
from stratawatch.core.estimation.blended_ends import blended_ends
from stratawatch.core.estimation.interval import normal_quantile
from stratawatch.core.metrics import RatioMetric, SideTotals, metric_named
from stratawatch.core.population import Floats
from stratawatch.core.score_bins import OWN_BIN_COUNT, own_bin_foot
from stratawatch.errors import StratawatchError

MOST_CUT_OFFS: Final = 8
"""Cut-offs that are looked at, the one in use among them."""
# What cut-offs leave of the calls, or make of them, nearest first.
_HIGHER: Final = (0.95, 0.9, 0.85, 0.8, 0.7, 0.6, 0.5)
_LOWER: Final = (1.05, 1.1, 1.2, 1.35, 1.5, 1.75, 2.0)
_FEWEST_LABELS: Final = 2


class LimitLine(NamedTuple):
    """What a metric has to hold: a floor, or a ceiling."""

    metric: str
    value: float
    is_floor: bool = True

    def is_held_by(self, value: float) -> bool:
        """Whether a value is on the right side."""
        return value >= self.value if self.is_floor else value <= self.value


@dataclass(frozen=True)
class CutOff:
    """What a classifier would be at a cut-off: its precision, recall, the limit's metric, and its calls a window.

    `score` is on the scale of a probability, None for the one in use, whose calls are counted.
    """

    score: float | None
    precision: ValueInterval
    recall: ValueInterval
    value: ValueInterval
    calls: ValueInterval
    labels: int


@dataclass(frozen=True)
class CutOffChoice:
    """The cut-off in use and others, nearest first, and which of them is the first to hold the limit, if any does."""

    classifier: str
    limit: LimitLine
    confidence: float
    in_use: CutOff
    others: tuple[CutOff, ...]

    @property
    def suggested(self) -> CutOff | None:
        """The nearest cut-off whose value holds the limit; None where none does."""
        return next((one for one in (self.in_use, *self.others) if self.limit.is_held_by(one.value.value)), None)


def choose_cut_off(
    windows: Sequence[ScoredWindow],
    classifier: str,
    limit: LimitLine,
    *,
    in_use: float | None = None,
    confidence: float = 0.95,
) -> CutOffChoice | Undefined:
    """Try cut-offs on the labels of one to four windows; `in_use` is the present one, as a probability, if it is known.

    Where calls come from elsewhere than a score, nothing is known of the cut-off in use, and volumes alone say which
    cut-offs are higher.
    """
    if not 1 <= len(windows) <= MOST_WINDOWS:
        raise StratawatchError(
            f"cut-offs cannot be chosen by {len(windows)} windows", expected=f"1 to {MOST_WINDOWS} windows"
        )
    metric = metric_named(limit.metric)
    if not metric.depends_on_calls:
        return Undefined(f"no cut-off changes {metric.title}")
    labels = [ScoredLabels.of(one, classifier) for one in windows]
    calls = float(sum(one.calls.at_least(None)[0] for one in labels))
    if calls == 0:
        return Undefined(f"'{classifier}' called nothing positive")
    trial = _Trial(tuple(labels), metric, confidence)
    present = trial.at(None, None)
    if present is None:
        return Undefined(f"too few labels among the calls of '{classifier}'")
    volumes = np.sum([one.calls.by_bin for one in labels], axis=0)
    others = (trial.at(own_bin_foot(bin_), bin_) for bin_ in _cut_offs(volumes, calls, metric, in_use))
    return CutOffChoice(classifier, limit, confidence, present, tuple(one for one in others if one is not None))


def directions(metric: RatioMetric) -> tuple[bool, bool]:
    """Whether a higher cut-off, and whether a lower one, may mend a metric: where wrong calls, or misses, harm it.

    >>> directions(metric_named("precision")), directions(metric_named("recall")), directions(metric_named("f1"))
    ((True, False), (False, True), (True, True))
    """
    pairs = [(d - n, n) for n, d in zip(metric.numerator, metric.denominator, strict=True)]
    harm = [numerator if metric.lower_is_better else rest for rest, numerator in pairs]
    return harm[1] > 0, harm[2] > 0


def _cut_offs(volumes: Floats, calls: float, metric: RatioMetric, in_use: float | None) -> Iterator[int]:
    """Own bins at whose feet a cut-off is tried, those that change the volume least first."""
    feet = np.array([own_bin_foot(bin_) for bin_ in range(OWN_BIN_COUNT)])
    higher, lower = directions(metric)
    factors = [*(_HIGHER if higher else ()), *(_LOWER if lower else ())]
    tried: set[float] = set()
    for factor in sorted(factors, key=lambda one: abs(np.log(one)))[: MOST_CUT_OFFS - 1]:
        raised = factor < 1
        there = (volumes < calls) if raised else (volumes > calls)
        if in_use is not None:
            there &= feet > in_use if raised else feet < in_use
        # Of bins between which nothing lies the highest is tried: it calls the same items.
        bins = np.flatnonzero(there & (volumes > 0) & (feet > 0))[::-1]
        if bins.size:
            nearest = int(bins[np.argmin(np.abs(volumes[bins] - factor * calls))])
            if volumes[nearest] not in tried:
                tried.add(float(volumes[nearest]))
                yield nearest


@dataclass(frozen=True)
class _Trial:
    """Cut-offs on the labels of all windows."""

    windows: tuple[ScoredLabels, ...]
    metric: RatioMetric
    confidence: float

    def at(self, score: float | None, bin_: int | None) -> CutOff | None:
        """The classifier at the foot of a bin, or as it calls now; None without labels among its calls."""
        called = [window.would_call(bin_) for window in self.windows]
        labels = round(sum(float(one.sum()) for one in called))
        if labels < _FEWEST_LABELS:
            return None
        pairs = list(zip(self.windows, called, strict=True))
        size = sum(float(one.weights @ flags) for one, flags in pairs)
        precision = sum(float((one.weights * flags) @ one.table.yes) for one, flags in pairs) / size
        volume, spread = np.sum([one.calls.at_least(bin_) for one in self.windows], axis=0).tolist()

        def value(metric: RatioMetric) -> ValueInterval:
            totals = self._totals(volume, precision)
            on_a, on_b = (float(slope) for slope in metric.slopes(totals))
            variance = sum(one.variance((on_a - on_b) * flags, on_b, precision) for one, flags in pairs)
            step = 1e-4 * volume
            beside = [metric.value(self._totals(volume + by, precision)) for by in (-step, step)]
            variance += (float(beside[1] - beside[0]) / (2 * step)) ** 2 * spread
            heaviest = abs(on_a - on_b) * max(one.heaviest(flags) for one, flags in pairs)
            found = np.clip(metric.value(totals), 0, 1)
            ends = blended_ends(found[None], np.array([variance]), np.array([heaviest]), self.confidence)
            return ValueInterval(float(found), float(ends.low[0]), float(ends.high[0]))

        reach = normal_quantile(self.confidence) * spread**0.5
        calls = (each / len(self.windows) for each in (volume, max(volume - reach, 0.0), volume + reach))
        precise, complete = value(metric_named("precision")), value(metric_named("recall"))
        return CutOff(score, precise, complete, value(self.metric), ValueInterval(*calls), labels)

    def _totals(self, volume: float, precision: float) -> SideTotals:
        positives, judged = (sum(getattr(one, name) for one in self.windows) for name in ("positives", "judged"))
        hits = precision * volume
        counts = (volume, judged - volume, hits, max(positives - hits, 0.0))
        return SideTotals(*(np.array(each, dtype=np.float64) for each in counts))
