"""How often annotators err, from their disagreement alone: Dawid and Skene (1979, Applied Statistics 28:20).

Every item is positive or negative. An annotator says yes to a share of the positives (sensitivity) and no to a share of
the negatives (specificity), independently of what others say. Three answers to an item then tell the shares of a pool
of annotators apart from how many items are positive, as the counts of items with 0 to 3 yeses have three free numbers.
Whether a further answer was asked for may depend on the answers before it: the likelihood of what came is the same.

The shares are found by expectation maximization, first those of the pool, with an interval from resampled items; then
each annotator's own (see `core.estimation.annotator_errors`). Errors that all make together are not seen: they
look like truth, and only gold items show them.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from math import comb
from typing import Final

import numpy as np

from stratawatch.core.estimate import Undefined
from stratawatch.core.estimation.agreement import Answer
from stratawatch.core.estimation.annotator_errors import LEAST, AnnotatorErrors, Ends, Pool, annotator_errors
from stratawatch.core.population import Floats

FEWEST_ITEMS: Final = 30
"""Items with three answers, below which errors are not told."""
_STEPS: Final = 500
_CLOSE: Final = 1e-7
_RESAMPLES: Final = 400


@dataclass(frozen=True)
class VoteErrors:
    """The errors of single votes that disagreement shows, and the share of majorities that are wrong by them."""

    sensitivity: Ends
    specificity: Ends
    wrong_majorities: float
    items: int
    annotators: tuple[AnnotatorErrors, ...]
    confidence: float


def vote_errors(answers: Mapping[str, Mapping[str, Answer]], confidence: float = 0.95) -> VoteErrors | Undefined:
    """The errors of single votes, from the answers by item and annotator."""
    counted = Counter(
        (len(words), sum(word == "yes" for word in words.values())) for words in answers.values() if words
    )
    compared = sum(items for (given, _), items in counted.items() if given > 2)
    if compared < FEWEST_ITEMS:
        return Undefined(f"{compared} items have three answers, and {FEWEST_ITEMS} are needed")
    cells = sorted(counted)
    given, yes = (np.array(column, dtype=np.float64) for column in zip(*cells, strict=True))
    items = np.array([counted[cell] for cell in cells], dtype=np.float64)
    share, right, wrong = (float(one[0]) for one in _pool(items[None, :], given, yes))
    if right <= wrong:
        return Undefined("answers do not depend on the item: annotators agree no more than by chance")
    resampled = np.random.default_rng(0).multinomial(int(items.sum()), items / items.sum(), size=_RESAMPLES)
    _, rights, wrongs = _pool(resampled.astype(np.float64), given, yes)
    positive = _posterior(np.array([share]), np.array([right]), np.array([wrong]), given, yes)[0]
    says_yes = 2 * yes > given
    doubt = np.where(says_yes, 1 - positive, positive)
    return VoteErrors(
        _ends(right, rights, confidence),
        _ends(1 - wrong, 1 - wrongs, confidence),
        float(items @ doubt / items.sum()),
        compared,
        annotator_errors(answers, Pool(share, right, wrong), confidence),
        confidence,
    )


def majority_rate(rate: float, votes: int) -> float:
    """The share of items to which most of so many votes say yes, where each does at this rate.

    >>> round(majority_rate(0.95, 3), 5)
    0.99275
    """
    return sum(comb(votes, yes) * rate**yes * (1 - rate) ** (votes - yes) for yes in range(votes // 2 + 1, votes + 1))


def _pool(items: Floats, given: Floats, yes: Floats) -> tuple[Floats, Floats, Floats]:
    """The share of positives, and the rates of yes to positives and to negatives, for each row of counts."""
    total, votes = items.sum(axis=1), items @ given
    most = np.where(2 * yes > given, 0.9, 0.1)
    positive = np.broadcast_to(most, items.shape)
    share = right = wrong = np.full(len(items), 0.5)
    for _ in range(_STEPS):
        mine = items * positive
        before = right
        share = np.clip(mine.sum(axis=1) / total, LEAST, 1 - LEAST)
        asked = mine @ given
        right = np.clip((mine @ yes) / np.maximum(asked, LEAST), LEAST, 1 - LEAST)
        wrong = np.clip(((items - mine) @ yes) / np.maximum(votes - asked, LEAST), LEAST, 1 - LEAST)
        positive = _posterior(share, right, wrong, given, yes)
        if np.abs(right - before).max() < _CLOSE:
            break
    return share, right, wrong


def _posterior(share: Floats, right: Floats, wrong: Floats, given: Floats, yes: Floats) -> Floats:
    """The probability that items are positive, by row and cell."""
    odds = np.log(share / (1 - share))[:, None]
    odds = odds + yes * np.log(right / wrong)[:, None] + (given - yes) * np.log((1 - right) / (1 - wrong))[:, None]
    return np.asarray(1 / (1 + np.exp(-np.clip(odds, -700, 700))))


def _ends(value: float, drawn: Floats, confidence: float) -> Ends:
    low, high = np.quantile(drawn, ((1 - confidence) / 2, (1 + confidence) / 2))
    return value, min(float(low), value), max(float(high), value)
