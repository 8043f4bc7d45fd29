"""How often each annotator errs in the light of all answers to the same items, with intervals.

The model is that of `core.estimation.vote_errors`: item i is positive with probability p_i given its answers. An
annotator's own rate of yes to positives is sum p y / sum p over his answers y; to negatives the same with 1 - p. His
values are drawn towards those of all annotators as by ten answers more.

Nobody knows which items are positive, so that n answers tell less than n answers to gold items would. The observed
information about all rates and the share of positives together, on the logit scale, is what the answers would tell if
truth were known, less what not knowing it takes away (Louis 1982, Journal of the Royal Statistical Society B 44:226):

    diag(sum p s (1 - s), ...) - sum p (1 - p) b b^T, b the change of an item's score between negative and positive.

Its inverse gives each rate's variance, and s (1 - s) over that the answers to items of known truth that tell as much.
Wilson's interval of the annotator's own rate counts those.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from stratawatch.core.estimation.agreement import Answer
from stratawatch.core.estimation.wilson import wilson_interval
from stratawatch.core.population import Counts, Floats

Ends = tuple[float, float, float]
"""A value, the low and the high end of its interval."""
LEAST: Final = 1e-4
"""Rates stay this far from 0 and 1, where the steps would stand still."""
_STEPS: Final = 500
_CLOSE: Final = 1e-7
_TOWARDS_POOL: Final = 10.0
_FEWEST: Final = 1e-6
"""Answers below which nothing is known."""
_LEAST_INFORMATION: Final = 1e-6
"""Of what truth would tell; less counts as this."""
_AT_ONCE: Final = 4096
"""Items whose scores are in memory at one time."""


class Pool(NamedTuple):
    """The share of positives, and the rates of yes to positives and to negatives, of all annotators together."""

    share: float
    right: float
    wrong: float


@dataclass(frozen=True)
class AnnotatorErrors:
    """What one annotator's answers look like in the light of the others', and how many he gave."""

    annotator: str
    sensitivity: Ends
    specificity: Ends
    answers: int


def annotator_errors(
    answers: Mapping[str, Mapping[str, Answer]], pool: Pool, confidence: float
) -> tuple[AnnotatorErrors, ...]:
    """The errors of each annotator by name, from the answers by item and annotator."""
    said = _Said.from_answers(answers)
    rates = _fitted_rates(said, pool)
    positive = said.positive(rates, pool.share)
    yes, asked = said.sums(positive)
    own = np.clip(yes / np.maximum(asked, _FEWEST), 0, 1)
    known = _known_answers(said, rates, positive, pool.share)
    low, high = wilson_interval(own, np.maximum(known, _FEWEST), confidence)
    ends = np.stack([rates, np.minimum(low, rates), np.maximum(high, rates)], axis=-1)
    ends[1] = 1 - ends[1][:, [0, 2, 1]]
    given = np.bincount(said.by, minlength=len(said.names)).tolist()
    return tuple(
        AnnotatorErrors(name, _three(ends[0, place]), _three(ends[1, place]), given[place])
        for place, name in enumerate(said.names)
    )


@dataclass(frozen=True)
class _Said:
    """Every answer: its item, who gave it, and 1 where it is yes. Answers stand in the order of their items.

    Rates are arrays of two rows, of yes to positives and to negatives, with a column for each annotator.
    """

    names: tuple[str, ...]
    items: int
    item: Counts
    by: Counts
    yes: Floats

    @classmethod
    def from_answers(cls, answers: Mapping[str, Mapping[str, Answer]]) -> "_Said":
        names = sorted({name for words in answers.values() for name in words})
        places = {name: place for place, name in enumerate(names)}
        rows = [
            (item, places[name], word == "yes")
            for item, words in enumerate(answers.values())
            for name, word in words.items()
        ]
        item, by, yes = np.array(rows, dtype=np.int64).T
        return cls(tuple(names), len(answers), item, by, yes.astype(np.float64))

    def positive(self, rates: Floats, share: float) -> Floats:
        """The probability of each item that it is positive, given its answers."""
        logs = np.log(rates[0] / rates[1])[self.by], np.log((1 - rates[0]) / (1 - rates[1]))[self.by]
        told = np.bincount(self.item, self.yes * logs[0] + (1 - self.yes) * logs[1], minlength=self.items)
        return np.asarray(1 / (1 + np.exp(-np.clip(np.log(share / (1 - share)) + told, -700, 700))))

    def sums(self, positive: Floats) -> tuple[Floats, Floats]:
        """Each annotator's answers yes, and all his answers, to positives and to negatives."""
        parts = np.stack([positive, 1 - positive])[:, self.item]
        yes, asked = (
            np.array([np.bincount(self.by, part * of, minlength=len(self.names)) for part in parts], dtype=np.float64)
            for of in (self.yes, 1.0)
        )
        return yes, asked


def _fitted_rates(said: _Said, pool: Pool) -> Floats:
    """The rates of yes by expectation maximization, with ten answers more at the pool's rates."""
    usual = np.array([[pool.right], [pool.wrong]])
    rates = np.repeat(usual, len(said.names), axis=1)
    for _ in range(_STEPS):
        before = rates
        yes, asked = said.sums(said.positive(rates, pool.share))
        rates = np.clip((yes + _TOWARDS_POOL * usual) / (asked + _TOWARDS_POOL), LEAST, 1 - LEAST)
        if np.abs(rates - before).max() < _CLOSE:
            break
    return rates


def _known_answers(said: _Said, rates: Floats, positive: Floats, share: float) -> Floats:
    """As many answers to items of known truth tell as much about each rate."""
    _, asked = said.sums(positive)
    complete = np.append(((asked + _TOWARDS_POOL) * rates * (1 - rates)).ravel(), said.items * share * (1 - share))
    scale = complete**-0.5
    # The matrix is brought to a diagonal of ones before it is inverted: rates near 0 and 1 have very little of it.
    information = np.eye(len(complete)) - scale[:, None] * _lost(said, rates, positive) * scale
    # Directions in which the answers tell nothing have next to none of it, or by rounding less than none.
    values, vectors = np.linalg.eigh(information)
    variances = (vectors**2 / np.maximum(values, _LEAST_INFORMATION)).sum(axis=1)[:-1].reshape(rates.shape)
    return np.asarray((asked + _TOWARDS_POOL) / variances - _TOWARDS_POOL)


def _lost(said: _Said, rates: Floats, positive: Floats) -> Floats:
    """Sum of p (1 - p) b b^T over the items: what not knowing their truth takes away."""
    people = len(said.names)
    lost = np.zeros((2 * people + 1, 2 * people + 1))
    for first in range(0, said.items, _AT_ONCE):
        mine = slice(*np.searchsorted(said.item, [first, first + _AT_ONCE]))
        item, by, yes = said.item[mine] - first, said.by[mine], said.yes[mine]
        change = np.zeros((min(_AT_ONCE, said.items - first), 2 * people + 1))
        change[item, by] = yes - rates[0, by]
        change[item, people + by] = rates[1, by] - yes
        change[:, -1] = 1
        p = positive[first : first + _AT_ONCE, None]
        lost += change.T @ (p * (1 - p) * change)
    return lost


def _three(values: Floats) -> Ends:
    value, low, high = values.tolist()
    return value, low, high
