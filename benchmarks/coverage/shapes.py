"""Shapes of a score on one side of a cut-off: which scores occur there, and how likely each is a positive.

A shape gives the scores of a grid of equally frequent points, and chances that are then moved to the wanted mean.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from stratawatch.core.population import Floats

GRID: Final = 4000
POINTS: Final[Floats] = (np.arange(GRID) + 0.5) / GRID
_TINY: Final = (6, 14, 40, 150, 600, 1200)
"""Grid points of the small levels of `tiny`; the rest is the largest level."""


@dataclass(frozen=True)
class Side:
    """The span of scores on one side of the cut-off, and the share of positives there."""

    share: float
    low: float
    high: float

    @property
    def positive(self) -> bool:
        """Whether positives are the rule here, and errors are negatives."""
        return self.share >= 0.5

    def spread(self, relative: Floats) -> Floats:
        """Scores from their places in the span, 0 to 1."""
        return self.low + (self.high - self.low) * np.clip(relative, 0, 1 - 1e-6)

    @property
    def level(self) -> Floats:
        """The share everywhere."""
        return np.full(GRID, self.share)

    def swung(self, offset: Floats) -> Floats:
        """The share with an offset on the logit scale."""
        return expit(logit(self.level) + offset)


Shape = Callable[[Side], tuple[Floats, Floats]]


def logit(p: Floats) -> Floats:
    """log(p / (1 - p))."""
    inside = np.clip(p, 1e-9, 1 - 1e-9)
    return np.asarray(np.log(inside / (1 - inside)))


def expit(x: Floats) -> Floats:
    """1 / (1 + exp(-x))."""
    return np.asarray(1 / (1 + np.exp(-np.clip(x, -40, 40))))


def scores_and_chances(shape: str, side: Side) -> tuple[Floats, Floats]:
    """A side's grid; chances are moved on the logit scale until their mean is the side's share."""
    from scipy.optimize import brentq

    scores, chances = SHAPES[shape](side)
    logits = logit(chances)
    shift = brentq(lambda by: float(expit(logits + by).mean()) - side.share, -40, 40)
    return scores, expit(logits + shift)


def calibrated(side: Side) -> tuple[Floats, Floats]:
    """A score that is the chance."""
    from scipy.stats import beta

    mean = float(np.clip((side.share - side.low) / (side.high - side.low), 0.002, 0.998))
    score = side.spread(beta.ppf(POINTS, 1.8 * mean, 1.8 * (1 - mean)))
    return score, score


def overconfident(side: Side) -> tuple[Floats, Floats]:
    """The order is right; all scores crowd at the side's far end."""
    score, chance = calibrated(side)
    place = (score - side.low) / (side.high - side.low)
    return side.spread(1 - (1 - place) ** 4 if side.positive else place**3), chance


def weak(side: Side) -> tuple[Floats, Floats]:
    """Any score may be wrong, low ones a little more often than high ones."""
    return side.spread(POINTS), side.swung(2 * POINTS)


def waving(side: Side) -> tuple[Floats, Floats]:
    """Two crests and two troughs: more score is not more chance."""
    return side.spread(POINTS), side.swung(1.5 * np.sin(4 * np.pi * POINTS))


def tied(side: Side) -> tuple[Floats, Floats]:
    """Six different scores in all."""
    score, chance = calibrated(side)
    place = (score - side.low) / (side.high - side.low)
    return side.spread(np.round(place * 5) / 5), chance


def constant(side: Side) -> tuple[Floats, Floats]:
    """One score for all."""
    return side.spread(np.full(GRID, 0.7)), side.level


def inverted(side: Side) -> tuple[Floats, Floats]:
    """The likelier a positive, the lower the score."""
    score, chance = calibrated(side)
    return score, chance[::-1]


def shuffled(side: Side) -> tuple[Floats, Floats]:
    """Scores that look calibrated and have nothing to do with the labels."""
    return calibrated(side)[0], side.level


def tiny(side: Side) -> tuple[Floats, Floats]:
    """Seven scores, six of them on very few items that are wrong far more often."""
    levels = np.repeat(np.arange(7), [*_TINY, GRID - sum(_TINY)])
    offset = np.array([-3.0, -3.4, -2.6, -2.6, -2.0, -1.2, 0.0])
    return side.spread(levels / 6), side.swung(offset[levels])


def clustered(side: Side) -> tuple[Floats, Floats]:
    """Errors sit in 12 short spans of the score, scattered over its whole range."""
    bad = np.isin((POINTS * 160).astype(int), np.linspace(3, 155, 12).astype(int))
    return side.spread(POINTS), side.swung(np.where(bad, -4.0 if side.positive else 4.0, 0.0))


def hidden(side: Side) -> tuple[Floats, Floats]:
    """Half of the positives have the 3% lowest scores of all."""
    return side.spread(POINTS**3), side.swung(np.where(POINTS < 0.03, 3.5, 0.0))


def concentrated(side: Side) -> tuple[Floats, Floats]:
    """Nearly all positives have the 2% highest scores."""
    return side.spread(POINTS**3), side.swung(np.where(POINTS > 0.98, 6.0, 0.0))


SHAPES: Final[Mapping[str, Shape]] = {
    shape.__name__: shape
    for shape in (
        calibrated,
        overconfident,
        weak,
        waving,
        tied,
        constant,
        inverted,
        shuffled,
        tiny,
        clustered,
        hidden,
        concentrated,
    )
}
