"""What to label in the next round, and when to stop: pure functions of the earlier rounds, so that runs can resume."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from stratawatch.core.cells import Flags
from stratawatch.core.estimation.interval import normal_quantile
from stratawatch.core.population import Counts, Floats
from stratawatch.errors import StratawatchError
from stratawatch.literature.bennett.allocation_rules import ALLOCATION_RULES
from stratawatch.literature.bennett.multinomial import draw_bin_counts
from stratawatch.literature.bennett.precision_estimate import bin_shares, weighted_mean_variance
from stratawatch.literature.stratum_counts import StratumCounts


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

    def labels_left(self, drawn: Counts) -> Counts:
        """What the budget still pays for."""
        budget = np.iinfo(np.int64).max if self.budget is None else self.budget
        return np.asarray(budget - drawn.sum(axis=-1), dtype=np.int64)


@dataclass(frozen=True)
class SamplingProgress:
    """The counts by bin, how many rounds in a row were narrow enough, and whether sampling is over.

    Bins lie along the last axis; simulations put runs side by side on axes before it.
    """

    counts: StratumCounts
    narrow_rounds: Counts
    over: Flags

    @classmethod
    def start(cls, *shape: int) -> Self:
        """Nothing is drawn yet; the shape is (..., bins)."""
        return cls(
            StratumCounts.none_drawn(*shape), np.zeros(shape[:-1], dtype=np.int64), np.zeros(shape[:-1], dtype=np.bool_)
        )

    def rates(self, sizes: Counts, rule: StoppingRule) -> Floats:
        """The estimated share of each bin."""
        return bin_shares(sizes, self.counts.labels, self.counts.yes, replacement=rule.replacement)

    def half_widths(self, sizes: Counts, rule: StoppingRule) -> Floats:
        """The half-width of the interval of precision."""
        rates = self.rates(sizes, rule)
        variances = weighted_mean_variance(sizes, self.counts.labels, rates, replacement=rule.replacement)
        return np.asarray(normal_quantile(rule.confidence) * np.sqrt(variances), dtype=np.float64)


def plan_round(
    rule: StoppingRule, sizes: Counts, rounds: Sequence[StratumCounts], rng: np.random.Generator
) -> tuple[int, ...] | None:
    """Cumulative counts by bin after the next round, or None when sampling is over.

    `rounds` are the earlier rounds in order; the last T of them and the one before are enough.

    >>> plan_round(StoppingRule(margin=0.05, style="pps"), np.array([900, 100]), [], np.random.default_rng(0))
    (4, 0)
    """
    progress = replay_rounds(rule, sizes, rounds)
    return None if progress.over else tuple(next_totals(rule, sizes, progress, rng).tolist())


def replay_rounds(rule: StoppingRule, sizes: Counts, rounds: Sequence[StratumCounts]) -> SamplingProgress:
    """The progress after these rounds. The last T decide when to stop; the one before them is not judged."""
    if sizes.size == 0 or sizes.min() < 1:
        raise StratawatchError("a bin is empty", expected="at least one bin, and items in each")
    progress = SamplingProgress.start(*sizes.shape)
    for counts in rounds[-(rule.in_a_row + 1) :]:
        _check_round(rule, sizes, progress.counts.drawn, counts.drawn)
        progress = progress_after(rule, sizes, progress, counts)
    return progress


def next_totals(rule: StoppingRule, sizes: Counts, progress: SamplingProgress, rng: np.random.Generator) -> Counts:
    """Cumulative counts after one more round of D labels a bin, or of what the budget has left, drawn by the style."""
    drawn = progress.counts.drawn
    chances = ALLOCATION_RULES[rule.style](sizes, progress.rates(sizes, rule))
    capacity = None if rule.replacement else sizes - drawn
    labels = np.minimum(rule.per_bin * drawn.shape[-1], rule.labels_left(drawn))
    return drawn + draw_bin_counts(chances, capacity, labels, rng)


def progress_after(
    rule: StoppingRule, sizes: Counts, before: SamplingProgress, counts: StratumCounts
) -> SamplingProgress:
    """The progress with the counts of one more round.

    The first draw is not judged (Figure 1); sampling also ends when nothing is left to draw or to spend.
    """
    half_widths = SamplingProgress(counts, before.narrow_rounds, before.over).half_widths(sizes, rule)
    judged = before.counts.drawn.any(axis=-1)
    narrow = half_widths <= (0.0 if rule.margin is None else rule.margin)
    narrow_rounds = np.where(judged & narrow, before.narrow_rounds + 1, 0)
    exhausted = (counts.drawn >= sizes).all(axis=-1) & (not rule.replacement)
    over = (narrow_rounds >= rule.in_a_row) | exhausted | (rule.labels_left(counts.drawn) <= 0)
    return SamplingProgress(counts, narrow_rounds, over)


def _check_round(rule: StoppingRule, sizes: Counts, before: Counts, drawn: Counts) -> None:
    if drawn.shape != sizes.shape:
        raise StratawatchError("counts do not fit the bins", expected=f"{sizes.size} numbers each")
    if not rule.replacement and bool(np.any(drawn > sizes)):
        raise StratawatchError("more was drawn than a bin holds", hint="say replacement=True if items can recur")
    if bool(np.any(drawn < before)):
        raise StratawatchError("a round has fewer draws than the one before", expected="cumulative counts, in order")
