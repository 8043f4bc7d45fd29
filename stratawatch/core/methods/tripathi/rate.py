"""A share with its variance, and its interval."""

from dataclasses import dataclass
from math import sqrt

from stratawatch.core.estimation.one_interval import z
from stratawatch.core.results import Known


@dataclass(frozen=True)
class Rate:
    """A share, its variance (above 0), and the plain draws that would know as much."""

    value: float
    variance: float
    n_eff: float

    def known(self, confidence: float = 0.95) -> Known:
        """Wilson's interval with n_eff draws.

        >>> found = Rate(0.8, 0.0016, 100.0).known()
        >>> round(found.low, 4), round(found.high, 4)
        (0.7112, 0.8666)
        """
        spread = z(confidence) ** 2 / self.n_eff
        middle = (self.value + spread / 2) / (1 + spread)
        half = sqrt(spread * (self.value * (1 - self.value) + spread / 4)) / (1 + spread)
        low, high = max(0.0, middle - half), min(1.0, middle + half)
        return Known(self.value, min(low, self.value), max(high, self.value), self.n_eff)


def smoothed(value: float, n: float) -> float:
    """The share that a variance is made with: half a yes and half a no are added to n draws."""
    return (value * n + 0.5) / (n + 1)
