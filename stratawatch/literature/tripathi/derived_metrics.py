"""Section 6: recall of every classifier, and everybody's false-omission rate, from the parent's own.

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
from stratawatch.core.estimation.effective_sample_size import effective_labels
from stratawatch.core.estimation.interval import normal_quantile
from stratawatch.literature.tripathi.call_patterns import CallPatterns
from stratawatch.literature.tripathi.precisions import PrecisionEstimates
from stratawatch.literature.tripathi.share_estimate import ShareEstimate

Outcome = IntervalEstimate | Undefined


@dataclass(frozen=True)
class DerivedEstimate:
    """What was made of totals; `note` says what was clipped, or nothing."""

    result: Outcome
    note: str = ""


@dataclass(frozen=True)
class _Totals:
    """T_c, T_1 and their covariances; F and its ends."""

    own: float
    parents: float
    of_own: float
    of_parents: float
    shared: float
    missed: tuple[float, float, float]

    @property
    def positives(self) -> float:
        """P."""
        return self.parents + self.missed[1]


@dataclass(frozen=True)
class DerivedMetrics:
    """The precisions of a panel and the false-omission rate of its parent, drawn independently of them."""

    patterns: CallPatterns
    parent: int
    precisions: PrecisionEstimates
    omission: IntervalEstimate | Undefined
    confidence: float = 0.95

    def precision(self, classifier: int) -> Outcome:
        """As estimated from its sequence."""
        rate = self.precisions.shares[classifier]
        return rate if isinstance(rate, Undefined) else rate.interval(self.confidence)

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
        relative = totals.of_own / own**2 - 2 * totals.shared / (own * all_) + totals.of_parents / all_**2
        step = normal_quantile(self.confidence) * sqrt(max(relative, 0.0))
        low, _, high = (log(all_ / max(totals.parents + missed, 1e-9)) for missed in reversed(totals.missed))
        low, high = ratio * exp(-hypot(step, low)), ratio * exp(min(hypot(step, high), 500.0))
        if low > 1:
            return DerivedEstimate(_contradiction(ratio))
        note = "" if ratio <= 1 else f"{ratio:.4f} was clipped to 1"
        return DerivedEstimate(self._known(min(ratio, 1.0), low, min(high, 1.0)), note)

    def false_omission_rate(self, classifier: int) -> DerivedEstimate:
        """f_c = (P - T_c)/|B_c|; the parent's is its own.

        By precisions: V(f) = (V(T_1) + V(T_c) - 2 Cov(T_1, T_c))/|B_c|^2.
        """
        if classifier == self.parent:
            return DerivedEstimate(self.omission)
        totals = self._totals(classifier)
        if isinstance(totals, Undefined):
            return DerivedEstimate(totals)
        passed = int(self.patterns.called_negative[classifier])
        if passed == 0:
            return DerivedEstimate(Undefined("it calls no item negative"))
        raw = (totals.positives - totals.own) / passed
        step = normal_quantile(self.confidence) * sqrt(max(totals.of_parents + totals.of_own - 2 * totals.shared, 0.0))
        fewest, missed, most = totals.missed
        low, high = raw - hypot(step, missed - fewest) / passed, raw + hypot(step, most - missed) / passed
        if high < 0 or low > 1:
            return DerivedEstimate(_contradiction(raw))
        value = min(max(raw, 0.0), 1.0)
        note = "" if value == raw else f"{raw:.4f} was clipped to {value:.0f}"
        return DerivedEstimate(self._known(value, max(low, 0.0), min(high, 1.0)), note)

    def _totals(self, classifier: int) -> _Totals | Undefined:
        """What is derived from, or why it cannot be told."""
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
        called, passed = (
            self.patterns.called_positive.astype(np.float64),
            float(self.patterns.called_negative[self.parent]),
        )
        covariance = self.precisions.covariance * np.outer(called, called)
        return _Totals(
            own=own.value * float(called[classifier]),
            parents=parents.value * float(called[self.parent]),
            of_own=float(covariance[classifier, classifier]),
            of_parents=float(covariance[self.parent, self.parent]),
            shared=float(covariance[classifier, self.parent]),
            missed=(self.omission.low * passed, self.omission.value * passed, self.omission.high * passed),
        )

    def _none_found(self, classifier: int, totals: _Totals) -> Outcome:
        """Recall where no label of A_c says yes."""
        rate = self.precisions.shares[classifier]
        high = rate.interval(self.confidence).high if isinstance(rate, ShareEstimate) else 1.0
        return self._known(
            0.0, 0.0, min(1.0, high * float(self.patterns.called_positive[classifier]) / totals.positives)
        )

    def _known(self, value: float, low: float, high: float) -> IntervalEstimate:
        """With the effective labels of a plain sample whose interval is as wide."""
        variance = ((high - low) / (2 * normal_quantile(self.confidence))) ** 2
        size = float(self.patterns.sizes.sum())
        v, of_v, a, b, n = (np.array(number) for number in (value, variance, low, high, size))
        return IntervalEstimate(value, low, high, float(effective_labels(v, of_v, a, b, n, self.confidence)))


def _contradiction(value: float) -> Undefined:
    return Undefined(f"its labels and the parent's contradict each other: their totals make it {value:.4f}")
