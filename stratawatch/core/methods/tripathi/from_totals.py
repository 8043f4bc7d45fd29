"""Section 6: recall of every classifier, and everybody's false-omission rate, from the parent's own.

T_c = p_c|A_c|, P = T_1 + f_1|B_1|, 1 the parent. Both follow from totals that were estimated from different labels,
so they can contradict one another: what is impossible is clipped, and a note says so.
"""

from dataclasses import dataclass
from math import exp, sqrt

import numpy as np

from stratawatch.core.estimation.effective import effective_labels
from stratawatch.core.estimation.one_interval import logit_ends, z
from stratawatch.core.methods.tripathi.patterns import Patterns
from stratawatch.core.methods.tripathi.precisions import Precisions
from stratawatch.core.methods.tripathi.rate import Rate
from stratawatch.core.results import Known, Undefined

Outcome = Known | Undefined


@dataclass(frozen=True)
class Derived:
    """What was made of totals; `note` says what was clipped, or nothing."""

    outcome: Outcome
    note: str = ""


@dataclass(frozen=True)
class _Totals:
    """T_c and P, their variances, and Cov(T_c, P), which is Cov(T_c, T_1)."""

    total: float
    positives: float
    of_total: float
    of_positives: float
    shared: float

    @property
    def of_ratio(self) -> float:
        """V(T_c/P) by the delta method: r^2 (V(T_c)/T_c^2 - 2 Cov/(T_c P) + V(P)/P^2)."""
        ratio = self.total / self.positives
        return max(0.0, self.of_total - 2 * ratio * self.shared + ratio**2 * self.of_positives) / self.positives**2

    @property
    def of_difference(self) -> float:
        """V(P - T_c)."""
        return max(0.0, self.of_positives + self.of_total - 2 * self.shared)


@dataclass(frozen=True)
class FromTotals:
    """The precisions of a panel and the false-omission rate of its parent, drawn independently of them."""

    patterns: Patterns
    parent: int
    precisions: Precisions
    omission: Rate | Undefined
    confidence: float = 0.95

    def precision(self, classifier: int) -> Outcome:
        """As estimated from its sequence."""
        rate = self.precisions.rates[classifier]
        return rate if isinstance(rate, Undefined) else rate.known(self.confidence)

    def recall(self, classifier: int) -> Derived:
        """r_c = T_c/P, which is p_c|A_c|/(p_1|A_1|) times the recall of the parent.

        The interval is symmetric on the logit scale, and on the log scale where the ratio is 1 or more. Where no label
        of A_c says yes, it ends where the precision's does.
        """
        totals = self._totals(classifier)
        if isinstance(totals, Undefined):
            return Derived(totals)
        if totals.positives <= 0:
            return Derived(Undefined("no positive item among the labels of the parent"))
        ratio, variance = totals.total / totals.positives, totals.of_ratio
        own = self.precision(classifier)
        if totals.total <= 0 and isinstance(own, Known):
            most = own.high * float(self.patterns.called[classifier]) / totals.positives
            return Derived(self._known(0.0, 0.0, min(1.0, most), variance))
        if ratio >= 1:
            low = ratio * exp(-z(self.confidence) * sqrt(variance) / ratio)
            if low > 1:
                return Derived(_contradiction(ratio))
            note = "" if ratio == 1 else f"{ratio:.4f} was clipped to 1"
            return Derived(self._known(1.0, low, 1.0, variance), note)
        low, high = (float(end) for end in logit_ends(np.array(ratio), np.array(variance), self.confidence))
        return Derived(self._known(ratio, min(low, ratio), max(high, ratio), variance))

    def false_omission_rate(self, classifier: int) -> Derived:
        """f_c = (P - T_c)/|B_c|, V = (V(P) + V(T_c) - 2 Cov(T_1, T_c))/|B_c|^2; the parent's is its own.

        A difference of totals: the interval is f_c +- z sqrt(V), cut to what is possible.
        """
        if classifier == self.parent:
            own = self.omission
            return Derived(own if isinstance(own, Undefined) else own.known(self.confidence))
        totals = self._totals(classifier)
        if isinstance(totals, Undefined):
            return Derived(totals)
        passed = int(self.patterns.passed[classifier])
        if passed == 0:
            return Derived(Undefined("it calls no item negative"))
        raw, variance = (totals.positives - totals.total) / passed, totals.of_difference / passed**2
        half = z(self.confidence) * sqrt(variance)
        if raw + half < 0 or raw - half > 1:
            return Derived(_contradiction(raw))
        value, low, high = (min(max(x, 0.0), 1.0) for x in (raw, raw - half, raw + half))
        note = "" if value == raw else f"{raw:.4f} was clipped to {value:.0f}"
        return Derived(self._known(value, low, high, variance), note)

    def _totals(self, classifier: int) -> _Totals | Undefined:
        """What is derived from, or why it cannot be told."""
        own, parents = self.precisions.rates[classifier], self.precisions.rates[self.parent]
        if isinstance(own, Undefined):
            return own
        if isinstance(parents, Undefined):
            return Undefined(f"the precision of the parent is not known: {parents.reason}")
        if isinstance(self.omission, Undefined):
            return Undefined(f"the false-omission rate of the parent is not known: {self.omission.reason}")
        judged = self.patterns.positive | self.patterns.negative
        if apart := int(self.patterns.sizes @ (judged[:, classifier] != judged[:, self.parent])):
            return Undefined(f"{apart:,} items were judged by only one of it and the parent")
        called, passed = self.patterns.called.astype(np.float64), float(self.patterns.passed[self.parent])
        covariance = self.precisions.covariance * np.outer(called, called)
        return _Totals(
            total=own.value * float(called[classifier]),
            positives=parents.value * float(called[self.parent]) + self.omission.value * passed,
            of_total=float(covariance[classifier, classifier]),
            of_positives=float(covariance[self.parent, self.parent]) + self.omission.variance * passed**2,
            shared=float(covariance[classifier, self.parent]),
        )

    def _known(self, value: float, low: float, high: float, variance: float) -> Known:
        size = float(self.patterns.sizes.sum())
        v, of_v, a, b, n = (np.array(number) for number in (value, variance, low, high, size))
        return Known(value, low, high, float(effective_labels(v, of_v, a, b, n, self.confidence)))


def _contradiction(value: float) -> Undefined:
    return Undefined(f"its labels and the parent's contradict each other: their totals make it {value:.4f}")
