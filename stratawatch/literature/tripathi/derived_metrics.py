"""Section 6: recall and false-omission rate of every classifier, from precisions and the parent's false-omission rate.

T_c = p_c|A_c|, F = f_1|B_1|, P = T_1 + F, 1 the parent. These totals were estimated from different labels, so they can
contradict one another: what is impossible is clipped, and a note says so.

Precisions rest on hundreds of labels, and the delta method does for them; F may rest on a handful of misses, so its own
interval is carried through. An end is as far away as the root of the squared changes that the precisions (z sd) and F
(to the end of its interval) make alone: MOVER for independent parts (Zou and Donner 2008, Statistics in Medicine
27:1693).
"""

from dataclasses import dataclass
from math import exp, hypot, log, sqrt

import numpy as np

from stratawatch.core.estimate import IntervalEstimate, Undefined
from stratawatch.core.estimation.effective_sample_size import effective_sample_size
from stratawatch.core.estimation.interval import normal_quantile
from stratawatch.literature.tripathi.pattern_sizes import CallPatterns
from stratawatch.literature.tripathi.precisions import PrecisionEstimates
from stratawatch.literature.tripathi.share_estimate import ShareEstimate


@dataclass(frozen=True)
class DerivedEstimate:
    """A metric that was derived from totals; `note` says what was clipped, if anything was."""

    result: IntervalEstimate | Undefined
    note: str = ""


@dataclass(frozen=True)
class _Totals:
    """T_c and T_1 with their variances and covariance; F between the ends of its interval."""

    own: float
    parents: float
    own_variance: float
    parents_variance: float
    covariance: float
    missed: tuple[float, float, float]

    @property
    def positives(self) -> float:
        """P, the items that are positive."""
        return self.parents + self.missed[1]


@dataclass(frozen=True)
class DerivedMetrics:
    """The precisions of a panel and the false-omission rate of its parent, drawn independently of them."""

    patterns: CallPatterns
    parent: int
    precisions: PrecisionEstimates
    omission: IntervalEstimate | Undefined
    confidence: float = 0.95

    def precision(self, classifier: int) -> IntervalEstimate | Undefined:
        """As estimated from its sequence."""
        share = self.precisions.shares[classifier]
        return share if isinstance(share, Undefined) else share.interval(self.confidence)

    def recall(self, classifier: int) -> DerivedEstimate:
        """r_c = T_c/P, which is p_c|A_c|/(p_1|A_1|) times the recall of the parent.

        By precisions: V(log r) = V(T_c)/T_c^2 - 2 Cov(T_c, T_1)/(T_c P) + V(T_1)/P^2. The interval is made on the log
        scale; where no label of A_c says yes, it ends where the precision's does.
        """
        totals = self._totals(classifier)
        if isinstance(totals, Undefined):
            return DerivedEstimate(totals)
        if totals.positives <= 0:
            return DerivedEstimate(Undefined("no positive item among the labels of the parent"))
        if totals.own <= 0:
            return DerivedEstimate(self._none_found(classifier, totals))
        own, all_ = totals.own, totals.positives
        ratio = own / all_
        relative = totals.own_variance / own**2 - 2 * totals.covariance / (own * all_)
        relative += totals.parents_variance / all_**2
        step = normal_quantile(self.confidence) * sqrt(max(relative, 0.0))
        low, _, high = (log(all_ / max(totals.parents + missed, 1e-9)) for missed in reversed(totals.missed))
        low, high = ratio * exp(-hypot(step, low)), ratio * exp(min(hypot(step, high), 500.0))
        if low > 1:
            return DerivedEstimate(_contradiction(ratio))
        note = "" if ratio <= 1 else f"{ratio:.4f} was clipped to 1"
        return DerivedEstimate(self._with_effective_size(min(ratio, 1.0), low, min(high, 1.0)), note)

    def false_omission_rate(self, classifier: int) -> DerivedEstimate:
        """f_c = (P - T_c)/|B_c|; the parent's is its own.

        By precisions: V(f) = (V(T_1) + V(T_c) - 2 Cov(T_1, T_c))/|B_c|^2.
        """
        if classifier == self.parent:
            return DerivedEstimate(self.omission)
        totals = self._totals(classifier)
        if isinstance(totals, Undefined):
            return DerivedEstimate(totals)
        negatives = int(self.patterns.called_negative[classifier])
        if negatives == 0:
            return DerivedEstimate(Undefined("it calls no item negative"))
        raw = (totals.positives - totals.own) / negatives
        variance = totals.parents_variance + totals.own_variance - 2 * totals.covariance
        step = normal_quantile(self.confidence) * sqrt(max(variance, 0.0))
        fewest, missed, most = totals.missed
        low, high = raw - hypot(step, missed - fewest) / negatives, raw + hypot(step, most - missed) / negatives
        if high < 0 or low > 1:
            return DerivedEstimate(_contradiction(raw))
        value = min(max(raw, 0.0), 1.0)
        note = "" if value == raw else f"{raw:.4f} was clipped to {value:.0f}"
        return DerivedEstimate(self._with_effective_size(value, max(low, 0.0), min(high, 1.0)), note)

    def _totals(self, classifier: int) -> _Totals | Undefined:
        """The totals, or why they are undefined."""
        own, parents = self.precisions.shares[classifier], self.precisions.shares[self.parent]
        if isinstance(own, Undefined):
            return own
        if isinstance(parents, Undefined):
            return Undefined(f"the precision of the parent is not known: {parents.reason}")
        if isinstance(self.omission, Undefined):
            return Undefined(f"the false-omission rate of the parent is not known: {self.omission.reason}")
        judged = self.patterns.positive | self.patterns.negative
        if apart := int(self.patterns.sizes @ (judged[:, classifier] != judged[:, self.parent])):
            return Undefined(f"{apart:,} items were judged by only one of it and the parent")
        called = self.patterns.called_positive.astype(np.float64)
        negatives = float(self.patterns.called_negative[self.parent])
        covariance = self.precisions.covariance * np.outer(called, called)
        return _Totals(
            own=own.value * float(called[classifier]),
            parents=parents.value * float(called[self.parent]),
            own_variance=float(covariance[classifier, classifier]),
            parents_variance=float(covariance[self.parent, self.parent]),
            covariance=float(covariance[classifier, self.parent]),
            missed=(self.omission.low * negatives, self.omission.value * negatives, self.omission.high * negatives),
        )

    def _none_found(self, classifier: int, totals: _Totals) -> IntervalEstimate:
        """Recall where no label of A_c says yes."""
        share = self.precisions.shares[classifier]
        high = share.interval(self.confidence).high if isinstance(share, ShareEstimate) else 1.0
        return self._with_effective_size(
            0.0, 0.0, min(1.0, high * float(self.patterns.called_positive[classifier]) / totals.positives)
        )

    def _with_effective_size(self, value: float, low: float, high: float) -> IntervalEstimate:
        """The estimate with the size of a simple random sample whose interval is as wide."""
        variance = ((high - low) / (2 * normal_quantile(self.confidence))) ** 2
        numbers = (value, variance, low, high, float(self.patterns.sizes.sum()))
        point, variances, a, b, items = (np.array(number) for number in numbers)
        n_eff = float(effective_sample_size(point, variances, a, b, items, self.confidence))
        return IntervalEstimate(value, low, high, n_eff)


def _contradiction(value: float) -> Undefined:
    return Undefined(f"its labels and the parent's contradict each other: their totals make it {value:.4f}")
