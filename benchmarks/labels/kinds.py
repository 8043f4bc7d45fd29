"""The kinds of worlds: how many classifiers, how well they separate, how well behaved their scores are."""

from dataclasses import dataclass
from typing import Final

import numpy as np


@dataclass(frozen=True)
class Kind:
    """What the worlds of one kind have in common.

    `separations` is how far apart a classifier's scores put positives and negatives, in noise deviations;
    `precisions` what the cut-offs reach in the pilot period. `vote`: a majority of them all comes first in the panel.
    `tails`: degrees of freedom of the noise (None: normal); `hard`: share of the positives that are hard to tell, with
    `hard_separation` of the separation that the others have.
    """

    name: str
    separations: tuple[float, ...]
    precisions: tuple[float, ...]
    vote: bool = False
    tails: int | None = None
    hard: float = 0.0
    hard_separation: float = 1.0

    @property
    def classifiers(self) -> tuple[str, ...]:
        """The panel, in the order of its patterns' letters."""
        scored = tuple(f"model{number}" for number in range(1, len(self.separations) + 1))
        return ("vote", *scored) if self.vote else scored


def _copies(number: int) -> Kind:
    """Many noisy copies of one latent variable: the better ones separate better and are cut off more strictly."""
    separations = np.linspace(1.6, 2.8, number).round(4).tolist()
    precisions = np.linspace(0.70, 0.85, number).round(4).tolist()
    return Kind(f"K = {number}", tuple(separations), tuple(precisions))


FOUR: Final = Kind("K = 4", (2.6, 2.4, 2.2), (0.78, 0.72, 0.70), vote=True)
HEAVY: Final = Kind("heavy", FOUR.separations, (0.68, 0.64, 0.60), vote=True, tails=5, hard=0.25, hard_separation=0.6)
"""Worlds that a logistic model gets wrong; with such tails no cut-off has the precision of the others."""
TEN: Final = _copies(10)
TWENTY: Final = _copies(20)
