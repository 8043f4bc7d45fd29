"""Histories whose truth is known: labels of earlier periods that follow one logistic curve of the linked score."""

from collections.abc import Callable, Sequence

import numpy as np

from stratawatch.core.history.past_labels import History
from stratawatch.core.history.working_model import logit

LADDER = np.array([0.004, 0.01, 0.03, 0.08, 0.15, 0.3, 0.45, 0.6, 0.75, 0.88, 0.96, 0.99])
"""Scores that labels have; a classifier calls those from .5 on positive."""


def curve(intercept: float = -0.5, slope: float = 1.2) -> Callable[[np.ndarray], np.ndarray]:
    """The share of positives at a score."""
    return lambda scores: 1 / (1 + np.exp(-(intercept + slope * logit(np.asarray(scores, dtype=float)))))


def past(ages, patterns, scores, yes, *, drawable=None, weights=None, ratios=None) -> History:
    """Columns of a history, with usual values for those that a test does not care about."""
    count = len(patterns)
    return History(
        ages=np.broadcast_to(np.asarray(ages, dtype=np.int64), count).copy(),
        patterns=tuple(patterns),
        scores=np.broadcast_to(np.asarray(scores, dtype=float), count).copy(),
        positive=np.broadcast_to(np.asarray(yes, dtype=bool), count).copy(),
        weights=np.ones(count) if weights is None else np.asarray(weights, dtype=float),
        drawable=np.broadcast_to(np.asarray(False if drawable is None else drawable, dtype=bool), count).copy(),
        ratios=ratios or {},
    )


def together(parts: Sequence[History], ratios=None) -> History:
    """Several histories as one."""
    return History(
        ages=np.concatenate([part.ages for part in parts]),
        patterns=tuple(pattern for part in parts for pattern in part.patterns),
        scores=np.concatenate([part.scores for part in parts]),
        positive=np.concatenate([part.positive for part in parts]),
        weights=np.concatenate([part.weights for part in parts]),
        drawable=np.concatenate([part.drawable for part in parts]),
        ratios=ratios or {},
    )


def exact(truth, age: int = 1, each: int = 200, scores=LADDER) -> History:
    """`each` labels at every score, with just the share of yes that the truth has there: no chance in it."""
    yes = [i < round(each * share) for share in truth(scores).tolist() for i in range(each)]
    rows = np.repeat(scores, each)
    return past(age, ["1" if score >= 0.5 else "0" for score in rows], rows, yes)


def drawn(truth, rng: np.random.Generator, ages: Sequence[int] = (1,), each: int = 500) -> History:
    """`each` labels of every age at random scores, each yes with its chance, of two classifiers that disagree a bit."""
    count = each * len(ages)
    scores = 1 / (1 + np.exp(-(1.8 * rng.normal(size=count) - 1)))
    noisy = logit(scores)[:, None] + 0.7 * rng.normal(size=(count, 2))
    patterns = ["".join("1" if signal > 0 else "0" for signal in row) for row in noisy.tolist()]
    return past(np.repeat(ages, each), patterns, scores, rng.random(count) < truth(scores))
