"""n(eps, delta): how many labels a precision needs."""

from math import ceil
from statistics import NormalDist

from stratawatch.errors import StratawatchError


def sample_size(margin: float, confidence: float = 0.95, at_least: float = 0.5) -> int:
    """The least whole n >= z^2 p (1 - p)/margin^2 for a precision of at least p.

    Tripathi et al., equation 1; z is the two-sided quantile, which their figures use. Below a half the largest
    variance counts, as nothing forbids a half.

    >>> [sample_size(0.03), sample_size(0.03, at_least=0.9), sample_size(0.03, at_least=0.93)]
    [1068, 385, 278]
    """
    for name, number in (("the margin", margin), ("the confidence", confidence)):
        if not 0 < number < 1:
            raise StratawatchError(f"{name} is no share", expected="a number between 0 and 1", got=str(number))
    if not 0 <= at_least < 1:
        raise StratawatchError(
            "no labels would be needed or could be counted for such a precision",
            expected="a least precision from 0 to below 1",
            got=str(at_least),
        )
    p = max(at_least, 0.5)
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    return ceil(z**2 * p * (1 - p) / margin**2)
