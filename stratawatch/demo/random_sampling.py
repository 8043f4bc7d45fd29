"""What plain random sampling would have cost for intervals as narrow."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Final

Z: Final = 1.959963984540054


@dataclass(frozen=True)
class Wanted:
    """A value that is to be known plus or minus `half_width`.

    `domain` counts the items it is a share of. They are `listed` when one knows which they are before any label:
    what a classifier calls positive is, what is truly positive (the domain of recall) is not.
    """

    value: float
    half_width: float
    domain: int
    listed: bool


@dataclass(frozen=True)
class RandomSampling:
    """Labels of independent random samples, one a metric; and of one sample of everything that serves all metrics."""

    independent: int
    shared: int


def answers_inside(wanted: Wanted) -> float:
    """Labels inside the domain: m = z^2 v(1 - v) / h^2, drawn without replacement m / (1 + m / D).

    >>> ceil(answers_inside(Wanted(0.5, 0.03, domain=10**12, listed=True)))
    1068
    """
    if wanted.half_width <= 0:
        return wanted.domain
    endless = Z**2 * wanted.value * (1 - wanted.value) / wanted.half_width**2
    return endless / (1 + endless / wanted.domain)


def random_sampling(wanted: Sequence[Wanted], population: int) -> RandomSampling:
    """A draw from everything meets a domain of D of N items with probability D / N, so it takes N / D as many."""
    everywhere = [ceil(answers_inside(one) * population / one.domain) for one in wanted]
    own = [ceil(answers_inside(one)) if one.listed else cost for one, cost in zip(wanted, everywhere, strict=True)]
    return RandomSampling(independent=sum(own), shared=max(everywhere))
