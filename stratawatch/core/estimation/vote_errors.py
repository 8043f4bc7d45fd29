"""How often annotators err, from their disagreement alone: Dawid and Skene (1979, Applied Statistics 28:20).

Every item is positive or negative. An annotator says yes to a share of the positives (sensitivity) and no to a share of
the negatives (specificity), independently of what others say. Three answers to an item then tell the shares of a pool
of annotators apart from how many items are positive, as the counts of items with 0 to 3 yeses have three free numbers.
Whether a further answer was asked for may depend on the answers before it: the likelihood of what came is the same.

The shares are found by expectation maximization, first those of the pool, with an interval from resampled items; then
each annotator's own, drawn towards the pool's as by ten answers more. Errors that all make together are not seen: they
look like truth, and only gold items show them.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from math import comb
from typing import Final

import numpy as np

from stratawatch.core.estimate import Undefined
from stratawatch.core.estimation.agreement import Answer
from stratawatch.core.population import Floats

FEWEST_ITEMS: Final = 30
"""Items with three answers, below which errors are not told."""
_STEPS: Final = 500
_CLOSE: Final = 1e-7
_RESAMPLES: Final = 400
_TOWARDS_POOL: Final = 10.0
_LEAST: Final = 1e-4
"""Shares stay this far from 0 and 1, where the steps would stand still."""

Ends = tuple[float, float, float]
"""A value, the low and the high end of its interval."""


@dataclass(frozen=True)
class AnnotatorErrors:
    """What one annotator's answers look like in the light of the others', and how many he gave."""

    annotator: str
    sensitivity: float
    specificity: float
    answers: int


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
        _by_annotator(answers, share, right, wrong),
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
        share = np.clip(mine.sum(axis=1) / total, _LEAST, 1 - _LEAST)
        asked = mine @ given
        right = np.clip((mine @ yes) / np.maximum(asked, _LEAST), _LEAST, 1 - _LEAST)
        wrong = np.clip(((items - mine) @ yes) / np.maximum(votes - asked, _LEAST), _LEAST, 1 - _LEAST)
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


def _by_annotator(
    answers: Mapping[str, Mapping[str, Answer]], share: float, right: float, wrong: float
) -> tuple[AnnotatorErrors, ...]:
    names = sorted({name for words in answers.values() for name in words})
    rates = dict.fromkeys(names, (right, wrong))
    for _ in range(_STEPS):
        sums: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0, 0.0, 0.0])
        for words in answers.values():
            odds = share / (1 - share)
            for name, word in words.items():
                says, errs = rates[name]
                odds *= says / errs if word == "yes" else (1 - says) / (1 - errs)
            positive = odds / (1 + odds)
            for name, word in words.items():
                said = word == "yes"
                several = sums[name]
                for place, part in enumerate((positive * said, positive, (1 - positive) * said, 1 - positive)):
                    several[place] += part
        before, rates = rates, {name: _drawn_to_pool(sums[name], right, wrong) for name in names}
        if max(abs(rates[name][0] - before[name][0]) for name in names) < _CLOSE:
            break
    given = Counter(name for words in answers.values() for name in words)
    return tuple(AnnotatorErrors(name, rates[name][0], 1 - rates[name][1], given[name]) for name in names)


def _drawn_to_pool(sums: list[float], right: float, wrong: float) -> tuple[float, float]:
    yes_of_positive, positive, yes_of_negative, negative = sums
    says = (yes_of_positive + _TOWARDS_POOL * right) / (positive + _TOWARDS_POOL)
    errs = (yes_of_negative + _TOWARDS_POOL * wrong) / (negative + _TOWARDS_POOL)
    return min(max(says, _LEAST), 1 - _LEAST), min(max(errs, _LEAST), 1 - _LEAST)
