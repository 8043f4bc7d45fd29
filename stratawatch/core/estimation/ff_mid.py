"""FF/MID: an interval for a weighted share that stays honest at small counts.

A virtual positive (or negative) of the largest weight w stands for what no label has shown. Upper law U: the Beta
distribution with mean (theta + w)/(1 + w) and variance V + w^2 (1 - theta). Lower law L: mean theta/(1 + w) and
variance V + w^2 theta. FF joins the outer quantiles of L and U; MID takes both quantiles from their 50:50 mixture;
with few events, x = min(theta, 1 - theta)^2 / V below 5, the interval is FF, with many (above 15) MID, blended between.
For simple random draws FF is the Clopper-Pearson interval and MID the mid-p interval, up to the matching of moments
(Fay and Feuer 1997, Statistics in Medicine 16:791, is the same idea for weighted sums of Poisson counts).
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from stratawatch.core.population import Counts, Floats

# a + b of a Beta law stays below this: scipy's quantile does not return for larger ones.
_MOST_CERTAIN = 1e8
_STEPS = 60
_CLOSE_ENOUGH = 1e-11


class _Law(NamedTuple):
    """A Beta distribution in each place. SciPy is imported on use: it costs half a second at the command line."""

    a: Floats
    b: Floats

    def quantile(self, level: Floats | float) -> Floats:
        from scipy.special import betaincinv

        return np.asarray(betaincinv(self.a, self.b, level), dtype=np.float64)

    def below(self, x: Floats) -> Floats:
        from scipy.special import betainc

        return np.asarray(betainc(self.a, self.b, x), dtype=np.float64)

    def density(self) -> Callable[[Floats], Floats]:
        from scipy.special import betaln

        norm = betaln(self.a, self.b)

        def at(x: Floats) -> Floats:
            inside = np.minimum(np.maximum(x, 1e-300), 1 - 1e-16)
            log = (self.a - 1) * np.log(inside) + (self.b - 1) * np.log1p(-inside) - norm
            return np.asarray(np.exp(np.minimum(np.maximum(log, -700), 700)), dtype=np.float64)

        return at

    def at(self, places: Counts) -> "_Law":
        return _Law(self.a[places], self.b[places])

    def twice(self) -> "_Law":
        return _Law(np.tile(self.a, 2), np.tile(self.b, 2))


def ff_mid(
    share: Floats,
    variance: Floats,
    weight: Floats,
    confidence: float,
    blend: tuple[float, float] = (5, 15),
    growth: Floats | float = 1.0,
) -> tuple[Floats, Floats]:
    """Ends of the FF/MID interval of every (theta, V, w); without variance and weight the share is exact.

    `blend` are the x up to which it is FF and from which it is MID; `growth` is how many times as large both tails are.

    >>> low, high = ff_mid(np.array([0.0]), np.array([0.0]), np.array([0.01]), 0.95)
    >>> float(low[0]), round(float(high[0]), 4)
    (0.0, 0.0368)
    """
    tails = _tails(np.broadcast_to(growth, share.shape), confidence)
    extra = weight**2
    upper = _law((share + weight) / (1 + weight), variance + extra * (1 - share))
    lower = _law(share / (1 + weight), variance + extra * share)
    few = np.clip((blend[1] - _events(share, variance)) / (blend[1] - blend[0]), 0, 1)
    low = np.where(share <= 0, 0.0, lower.quantile(tails))
    high = np.where(share >= 1, 1.0, upper.quantile(1 - tails))
    many = np.flatnonzero(few < 1)
    if many.size:
        middle_low, middle_high = _mixture(lower.at(many), upper.at(many), tails[many])
        low[many] = few[many] * low[many] + (1 - few[many]) * middle_low
        high[many] = few[many] * high[many] + (1 - few[many]) * middle_high
    exact = variance + extra <= 0
    return np.where(exact, share, np.minimum(low, share)), np.where(exact, share, np.maximum(high, share))


def _events(share: Floats, variance: Floats) -> Floats:
    """x: the number of events a Poisson count would need to be as certain."""
    rare = np.minimum(share, 1 - share) ** 2
    return np.where(variance > 0, rare / np.maximum(variance, 1e-300), 0.0)


def _law(mean: Floats, variance: Floats) -> _Law:
    m = np.clip(mean, 1e-12, 1 - 1e-12)
    most = m * (1 - m)
    certain = np.clip(most / np.maximum(np.minimum(variance, most * 0.999999), 1e-300) - 1, 1e-6, _MOST_CERTAIN)
    return _Law(m * certain, (1 - m) * certain)


def _tails(growth: Floats, confidence: float) -> Floats:
    """The tails; one that grows stays below one half, and its end on its own side of the middle."""
    tail = (1 - confidence) / 2
    return np.minimum(tail * growth, (tail + 0.5) / 2)


def _mixture(lower: _Law, upper: _Law, tails: Floats) -> tuple[Floats, Floats]:
    levels = np.concatenate([tails, 1 - tails])
    low, high = np.split(_mixture_quantile(lower.twice(), upper.twice(), levels), 2)
    return low, high


def _mixture_quantile(lower: _Law, upper: _Law, level: Floats) -> Floats:
    """Where (L + U)/2 reaches the level: Newton steps, kept between the two laws' own quantiles by halving."""
    of_lower, of_upper = lower.density(), upper.density()
    ends = np.sort(np.stack([lower.quantile(level), upper.quantile(level)]), axis=0)
    low, high = ends[0], ends[1]
    x: Floats = (low + high) / 2
    for _ in range(_STEPS):
        excess = (lower.below(x) + upper.below(x)) / 2 - level
        low, high = np.where(excess < 0, x, low), np.where(excess < 0, high, x)
        step = excess / np.maximum((of_lower(x) + of_upper(x)) / 2, 1e-300)
        near = np.abs(step) < _CLOSE_ENOUGH
        inside = (x - step > low) & (x - step < high)
        # Rounding may throw a step of almost nothing out of the bracket: halving would lead away again.
        x = np.where(near, x, np.where(inside, x - step, (low + high) / 2))
        if bool((near | (high - low < _CLOSE_ENOUGH)).all()):
            break
    return x
