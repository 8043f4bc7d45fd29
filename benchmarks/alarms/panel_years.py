"""Panel-years of resampled weeks: how often each rule pages, whom it names, and how long it takes after a loss."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from scipy.stats import chi2

from benchmarks.alarms.frozen_weeks import METRICS, Weeks
from benchmarks.labels.worlds import Flags, Floats, Integers
from stratawatch.core.alarms.evidence.suspicion import evidence_needed

WEEKS_A_YEAR: Final = 52.18
RUN_WEEKS: Final = 104
HEALTHY: Final = 10
"""Weeks without a page before a loss."""
MOST: Final = 80
"""Weeks after a loss that are looked at; what is not paged by then counts as these."""


class Paged(NamedTuple):
    """By run and week: whether a rule pages, the stream that it names first, and the design of the week's labels.

    Design 0 follows the goals; others are one more than the number of the stream that labels follow.
    """

    found: Flags
    first: Integers
    design: Integers


def paged(found: Flags, first: Integers) -> Paged:
    """What a rule makes of weeks whose labels follow the goals."""
    return Paged(found, first, np.zeros_like(first))


Rule = Callable[[Weeks, Integers], Paged]
"""Runs x weeks of numbers of weeks -> what a rule makes of them."""


def evidence_rule(threshold: float, alone: float | None, *, follow: bool = False) -> Rule:
    """Page when the sum of streams reaches the threshold, or a stream's interval at `alone` lies outside.

    With `follow`, a week's labels follow the stream that was the most suspect one the week before.
    """

    def pages(weeks: Weeks, order: Integers) -> Paged:
        runs, length = order.shape
        designs = (weeks, *weeks.followed) if follow else (weeks,)
        log_e = np.stack([one.log_e for one in designs])
        outside = np.zeros(log_e.shape[:3], dtype=np.bool_)
        if alone is not None:
            outside = np.stack([one.outside[alone] for one in designs])
        gathered, design = np.zeros((runs, *log_e.shape[2:])), np.zeros(runs, dtype=np.int64)
        found = np.zeros((runs, length), dtype=np.bool_)
        first, designed = np.zeros((2, runs, length), dtype=np.int64)
        for week in range(length):
            designed[:, week] = design
            gathered = np.minimum((gathered + 1) * np.exp(log_e[design, order[:, week]]), 1e290)
            by_stream = gathered.mean(axis=2)
            enough = by_stream.sum(axis=1) >= threshold
            out = outside[design, order[:, week]]
            found[:, week] = enough | out.any(axis=1)
            leads = np.where(enough[:, None] | out, by_stream, -1.0)
            first[:, week] = leads.argmax(axis=1)
            gathered[out] = 0.0
            gathered[enough] = 0.0
            if follow:
                design = _followed(gathered.mean(axis=2), threshold)
        return Paged(found, first, designed)

    return pages


def _followed(evidence: Floats, threshold: float) -> Integers:
    """The design of the next week by run: that of the most suspect stream, if there is evidence enough.

    Streams are those of the classifiers in turn, each with its metrics.
    """
    parts = evidence / np.array(evidence_needed(METRICS * (evidence.shape[1] // len(METRICS)), threshold))
    return np.where(parts.max(axis=1) >= 1, 1 + parts.argmax(axis=1), 0)


def window_rule(confidence: float, in_a_row: int = 1) -> Rule:
    """Page when a stream's interval lies outside, so many weeks in a row."""

    def pages(weeks: Weeks, order: Integers) -> Paged:
        outside = weeks.outside[confidence][order]
        for _ in range(in_a_row - 1):
            shifted = np.zeros_like(outside)
            shifted[:, 1:] = outside[:, :-1]
            outside = outside & shifted
        first = np.asarray(outside.argmax(axis=2), dtype=np.int64)
        return paged(np.asarray(outside.any(axis=2)), first)

    return pages


def false_pages(rule: Rule, healthy: Weeks, years: float, rng: np.random.Generator) -> tuple[int, float]:
    """Pages of a panel that keeps its limits, and the panel-years that were looked at."""
    runs = max(round(years * WEEKS_A_YEAR / RUN_WEEKS), 1)
    order = rng.integers(0, len(healthy.log_e), (runs, RUN_WEEKS))
    return int(rule(healthy, order).found.sum()), runs * RUN_WEEKS / WEEKS_A_YEAR


def upper_rate(pages: int, years: float) -> float:
    """The upper 95% bound of pages a year, if pages come by a Poisson law.

    >>> round(upper_rate(0, 10), 3)
    0.3
    """
    return float(chi2.ppf(0.95, 2 * pages + 2)) / 2 / years


def lower_rate(pages: int, years: float) -> float:
    """The lower 95% bound of pages a year.

    >>> lower_rate(0, 10), round(lower_rate(3, 10), 3)
    (0.0, 0.082)
    """
    return float(chi2.ppf(0.05, 2 * pages)) / 2 / years if pages else 0.0


@dataclass(frozen=True)
class AfterLoss:
    """Runs without a page in the healthy weeks before a loss, and what comes of the loss.

    `order` are numbers of `weeks`, healthy ones first; `designs` those of each week's labels, `waits` the weeks
    until a page, the paging one counted, and `MOST` where none came; `leaders` the streams that are named first.
    """

    weeks: Weeks
    order: Integers
    designs: Integers
    is_paged: Flags
    waits: Integers
    leaders: Integers

    @property
    def mean_wait(self) -> float:
        """Mean weeks until the loss is paged."""
        return float(self.waits.mean())

    def names_loser(self, losers: Flags) -> float:
        """The share of pages that name a stream of the loser first."""
        return float(losers[self.leaders[self.is_paged]].mean()) if self.is_paged.any() else 0.0


def after_loss(rule: Rule, healthy: Weeks, lost: Sequence[Weeks], runs: int, rng: np.random.Generator) -> AfterLoss:
    """Show a rule ten healthy weeks and those of a loss: one of each stage of it, and then of the last stage."""
    weeks, columns = healthy, [rng.integers(0, len(healthy.log_e), (runs, HEALTHY))]
    for stage, after in enumerate(lost, start=1):
        start, stays = len(weeks.log_e), MOST - len(lost) + 1 if stage == len(lost) else 1
        columns.append(start + rng.integers(0, len(after.log_e), (runs, stays)))
        weeks = weeks.then(after)
    order = np.concatenate(columns, axis=1)
    found, first, designs = rule(weeks, order)
    calm = ~found[:, :HEALTHY].any(axis=1)
    later = found[calm, HEALTHY:]
    is_paged: Flags = np.asarray(later.any(axis=1))
    place = later.argmax(axis=1)
    waits = np.where(is_paged, place + 1, MOST)
    leaders = first[calm, HEALTHY:][np.arange(len(place)), place]
    return AfterLoss(weeks, order[calm], designs[calm], is_paged, waits, leaders)
