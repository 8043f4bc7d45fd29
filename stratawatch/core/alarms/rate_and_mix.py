"""The change of a metric as a sum over domains: what their rates did, and what the mix of items did.

With R = sum_g (a_g t_g + b_g W_g) / sum_g (c_g t_g + d_g W_g) over domains g (a segment's value on one side of the
classifier), W_g the domain's share of all items, p_g its share of positives and t_g = W_g p_g, the change is exactly

    R1 - R0 = 1/D sum_g {(a_g - R c_g) [W_g (p1_g - p0_g) + p_g (W1_g - W0_g)] + (b_g - R d_g) (W1_g - W0_g)}

where R, D, W_g and p_g on the right are the means of before and after, and D is that of the denominator (Kitagawa 1955,
Journal of the American Statistical Association 50:1168, for rates). The first term is the rate part of g, the two
others are its mix part.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from stratawatch.core.metrics import RatioMetric
from stratawatch.core.population import Floats

# So small that x + ih is x to the last bit, and the imaginary part of f(x + ih) is h f'(x) without cancellation.
_STEP: Final = 1e-30

Numbers = NDArray[Any]
"""Floats, or complex numbers where a gradient is taken."""


@dataclass(frozen=True)
class DomainWeights:
    """What a positive and an item of every domain count in the numerator (a, b) and in the denominator (c, d).

    >>> from stratawatch.core.metrics import metric_named
    >>> w = DomainWeights.of(metric_named("precision"), 1)
    >>> w.a.tolist(), w.b.tolist(), w.c.tolist(), w.d.tolist()
    ([1.0, 0.0], [0.0, 0.0], [0.0, 0.0], [1.0, 0.0])
    """

    a: Floats
    b: Floats
    c: Floats
    d: Floats

    @classmethod
    def of(cls, metric: RatioMetric, parts: int) -> "DomainWeights":
        """Those of a metric for so many parts, each with the sides called positive and called negative."""
        a, b, c, d = (
            np.tile(np.array(pair, dtype=np.float64), parts)
            for (tp, fp, fn, tn) in (metric.numerator, metric.denominator)
            for pair in ((tp - fp, fn - tn), (fp, tn))
        )
        return cls(a, b, c, d)

    def sums(self, shares: Floats, rates: Numbers, inside: Floats | float = 1.0) -> tuple[Numbers, Numbers]:
        """Numerator and denominator over the domains at which `inside` is 1, along the last axis."""
        found = shares * rates
        hits = ((self.a * found + self.b * shares) * inside).sum(axis=-1)
        return hits, ((self.c * found + self.d * shares) * inside).sum(axis=-1)

    def ratio(self, shares: Floats, rates: Numbers, inside: Floats | float = 1.0) -> Numbers:
        """The metric over those domains; 0 where it is 0/0."""
        hits, size = self.sums(shares, rates, inside)
        nothing = size.real <= 0
        return np.where(nothing, 0, hits / np.where(nothing, 1, size))


def decompose(
    weights: DomainWeights, shares: tuple[Floats, Floats], rates: tuple[Numbers, Numbers]
) -> tuple[Numbers, Numbers]:
    """The rate part and the mix part of every domain, from (before, after); both together sum to R1 - R0.

    A domain that is empty before or after has no rate there: what its items add or take is mix.

    >>> from stratawatch.core.metrics import metric_named
    >>> w, shares = DomainWeights.of(metric_named("precision"), 1), np.array([0.1, 0.9])
    >>> rate, mix = decompose(w, (shares, shares), (np.array([0.9, 0.0]), np.array([0.7, 0.0])))
    >>> [round(float(part), 2) for part in (rate[0], rate[1], mix[0], mix[1])]
    [-0.2, 0.0, 0.0, 0.0]
    """
    w0, w1 = shares
    p0, p1 = np.where(w0 > 0, rates[0], rates[1]), np.where(w1 > 0, rates[1], rates[0])
    ends = [(weights.ratio(w, p), weights.sums(w, p)[1]) for w, p in ((w0, p0), (w1, p1))]
    ratio, size = (np.expand_dims(sum(pair) / 2, -1) for pair in zip(*ends, strict=True))
    of_positive, of_item = (weights.a - ratio * weights.c) / size, (weights.b - ratio * weights.d) / size
    grown = w1 - w0
    rate = of_positive * (w0 + w1) / 2 * (p1 - p0)
    return rate, (of_positive * (p0 + p1) / 2 + of_item) * grown


def with_gradient(
    function: Callable[[Numbers, Numbers], Numbers], before: Floats, after: Floats
) -> tuple[Floats, Floats, Floats]:
    """The values of a function of rates before and after, and their gradients in either (values x domains).

    By complex steps, which are exact to rounding (Squire and Trapp 1998, SIAM Review 40:110).
    """
    domains = before.size
    steps = np.concatenate([before, after]) + 1j * _STEP * np.eye(2 * domains)
    found = function(steps[:, :domains], steps[:, domains:])
    slopes = found.imag.T / _STEP
    return found[0].real, slopes[:, :domains], slopes[:, domains:]
