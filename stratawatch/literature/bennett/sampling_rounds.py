"""Rounds: what to label next, and when to stop. Pure functions of what earlier rounds gave, so that they can resume."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from stratawatch.core.estimation.interval import normal_quantile
from stratawatch.core.population import Counts, Floats
from stratawatch.errors import StratawatchError
from stratawatch.literature.bennett.allocation_rules import ALLOCATION_RULES
from stratawatch.literature.bennett.multinomial import draw_round
from stratawatch.literature.bennett.precision_estimate import bin_shares, weighted_mean, weighted_mean_variance


@dataclass(frozen=True)
class StoppingRule:
    """The constants of the algorithm (Figure 1): delta, 1 - alpha, T, and D = `per_bin` labels for every bin.

    The paper stops by the margin alone. A `budget` ends sampling too; without a margin it is spent to the last label.
    """

    margin: float | None
    confidence: float = 0.95
    style: str = "opt"
    per_bin: int = 2
    in_a_row: int = 2
    replacement: bool = False
    budget: int | None = None

    def __post_init__(self) -> None:
        if self.style not in ALLOCATION_RULES:
            raise StratawatchError("there is no such style", expected=" or ".join(ALLOCATION_RULES), got=self.style)
        if self.margin is None and self.budget is None:
            raise StratawatchError("nothing says when to stop", expected="a margin, a budget or both")
        for name, share in (("margin", self.margin), ("confidence", self.confidence)):
            if share is not None and not 0 < share < 1:
                raise StratawatchError(f"{name} is no share", expected="a number between 0 and 1", got=str(share))
        for name, count in (("per_bin", self.per_bin), ("in_a_row", self.in_a_row), ("budget", self.budget)):
            if count is not None and count < 1:
                raise StratawatchError(f"{name} is too small", expected="at least 1", got=str(count))

    @property
    def remembered_rounds(self) -> int:
        """Rounds that the next one depends on: the last T, and the one before them."""
        return self.in_a_row + 1


@dataclass(frozen=True)
class RoundLabels:
    """Cumulative counts by bin: items sent to people, those that got a label, those whose label is yes."""

    drawn: Counts
    labels: Counts
    yes: Counts

    @classmethod
    def all_answered(cls, labels: Counts, yes: Counts) -> Self:
        """Everything that was asked has a label."""
        return cls(labels, labels, yes)


@dataclass(frozen=True)
class SamplingProgress:
    """Where sampling stands: the counts, how many rounds in a row met the criterion, and whether it is over.

    Bins lie along the last axis; axes before it are runs side by side.
    """

    labelled: RoundLabels
    narrow_rounds: Counts
    over: NDArray[np.bool_]

    @classmethod
    def start(cls, *shape: int) -> Self:
        """Nothing is drawn yet; the shape is (..., bins)."""
        nothing = np.zeros(shape, dtype=np.int64)
        return cls(RoundLabels(nothing, nothing, nothing), nothing.sum(axis=-1), np.zeros(shape[:-1], dtype=np.bool_))

    def rates(self, sizes: Counts, rule: StoppingRule) -> Floats:
        """p_k as the labels so far have it."""
        return bin_shares(sizes, self.labelled.labels, self.labelled.yes, replacement=rule.replacement)


def plan_round(
    rule: StoppingRule, sizes: Counts, rounds: Sequence[RoundLabels], rng: np.random.Generator
) -> tuple[int, ...] | None:
    """Cumulative counts by bin after the next round, or None when sampling is over; `rounds` are those told so far.

    >>> plan_round(StoppingRule(margin=0.05, style="pps"), np.array([900, 100]), [], np.random.default_rng(0))
    (4, 0)
    """
    progress = replay_rounds(rule, sizes, rounds)
    if progress.over:
        return None
    return tuple(next_totals(rule, sizes, progress, rng).tolist())


def replay_rounds(rule: StoppingRule, sizes: Counts, rounds: Sequence[RoundLabels]) -> SamplingProgress:
    """Where rounds that are kept somewhere lead; the last T decide, and the one before them is judged no more."""
    if sizes.size == 0 or sizes.min() < 1:
        raise StratawatchError("a bin is empty", expected="at least one bin, and items in each")
    progress = SamplingProgress.start(*sizes.shape)
    for labelled in rounds[-rule.remembered_rounds :]:
        _check(rule, sizes, progress.labelled.drawn, labelled)
        progress = progress_after(rule, sizes, progress, labelled)
    return progress


def next_totals(rule: StoppingRule, sizes: Counts, progress: SamplingProgress, rng: np.random.Generator) -> Counts:
    """Cumulative counts after one more round of D labels a bin, or of what the budget has left, as the style says."""
    drawn = progress.labelled.drawn
    chances = ALLOCATION_RULES[rule.style](sizes, progress.rates(sizes, rule))
    room = None if rule.replacement else sizes - drawn
    return drawn + draw_round(chances, room, np.minimum(rule.per_bin * drawn.shape[-1], _left(rule, drawn)), rng)


def progress_after(
    rule: StoppingRule, sizes: Counts, before: SamplingProgress, labelled: RoundLabels
) -> SamplingProgress:
    """The next state. The first draw is not judged (Figure 1); nothing left to draw or to spend ends sampling."""
    told = SamplingProgress(labelled, before.narrow_rounds, before.over)
    rates = told.rates(sizes, rule)
    variances = weighted_mean_variance(sizes, labelled.labels, rates, replacement=rule.replacement)
    judged = before.labelled.drawn.any(axis=-1)
    narrow = normal_quantile(rule.confidence) * np.sqrt(variances) <= (0.0 if rule.margin is None else rule.margin)
    met = np.where(judged & narrow, before.narrow_rounds + 1, 0)
    exhausted = (labelled.drawn >= sizes).all(axis=-1) & (not rule.replacement)
    return SamplingProgress(labelled, met, (met >= rule.in_a_row) | exhausted | (_left(rule, labelled.drawn) <= 0))


def current_precision(rule: StoppingRule, sizes: Counts, progress: SamplingProgress) -> Floats:
    """The estimate of every run."""
    return weighted_mean(sizes, progress.rates(sizes, rule))


def _left(rule: StoppingRule, drawn: Counts) -> Counts:
    """What the budget still pays for."""
    spent = drawn.sum(axis=-1)
    return np.asarray((np.iinfo(np.int64).max if rule.budget is None else rule.budget) - spent, dtype=np.int64)


def _check(rule: StoppingRule, sizes: Counts, before: Counts, told: RoundLabels) -> None:
    if not told.drawn.shape == told.labels.shape == told.yes.shape == sizes.shape:
        raise StratawatchError("counts do not fit the bins", expected=f"{sizes.size} numbers each")
    if not bool(np.all((told.yes >= 0) & (told.yes <= told.labels) & (told.labels <= told.drawn))):
        raise StratawatchError("counts contradict one another", expected="yes <= labels <= drawn in every bin")
    if not rule.replacement and bool(np.any(told.drawn > sizes)):
        raise StratawatchError("more was drawn than a bin holds", hint="say replacement=True if items can recur")
    if bool(np.any(told.drawn < before)):
        raise StratawatchError("a round has fewer draws than the one before", expected="cumulative counts, in order")
