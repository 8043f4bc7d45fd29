"""Panel-years of resampled weeks: how often each rule pages, whom it names, and how long it takes after a loss."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from benchmarks.alarms.frozen_weeks import Weeks
from benchmarks.labels.worlds import Flags, Floats, Integers
from stratawatch.engine.evidence.panel_evidence import SUSPICION

WEEKS_A_YEAR: Final = 52.18
RUN_WEEKS: Final = 104
HEALTHY: Final = 10
"""Weeks without a page before a loss."""
MOST: Final = 80
"""Weeks after a loss that are looked at; what is not paged by then counts as these."""

Rule = Callable[[Weeks, Integers], tuple[Flags, Integers]]
"""Runs x weeks of numbers of weeks -> whether each pages, and the stream that it names first."""


def evidence_rule(threshold: float, alone: float | None, *, follow: bool = False) -> Rule:
    """Page when the sum of streams reaches the threshold, or a stream's interval at `alone` lies outside.

    With `follow`, a week's labels follow the stream that led the week before with evidence of 20 or more.
    """

    def pages(weeks: Weeks, order: Integers) -> tuple[Flags, Integers]:
        runs, length = order.shape
        streams, bets = weeks.log_e.shape[2:]
        gathered, design = np.zeros((runs, streams, bets)), np.zeros(runs, dtype=np.int64)
        found, first = np.zeros((runs, length), dtype=np.bool_), np.zeros((runs, length), dtype=np.int64)
        for week in range(length):
            drawn = design, order[:, week]
            gathered = np.minimum((gathered + 1) * np.exp(weeks.log_e[drawn]), 1e290)
            by_stream = gathered.mean(axis=2)
            enough = by_stream.sum(axis=1) >= threshold
            out = np.zeros((runs, streams), dtype=np.bool_) if alone is None else weeks.outside[alone][drawn]
            found[:, week] = enough | out.any(axis=1)
            leads = np.where(enough[:, None] | out, by_stream, -1.0)
            first[:, week] = leads.argmax(axis=1)
            gathered[out] = 0.0
            gathered[enough] = 0.0
            if follow:
                design = _followed(gathered.mean(axis=2))
        return found, first

    return pages


def _followed(evidence: Floats) -> Integers:
    """The design of the next week by run: that of the stream that leads, if it is suspect."""
    return np.where(evidence.max(axis=1) >= SUSPICION, 1 + evidence.argmax(axis=1), 0)


def window_rule(confidence: float, in_a_row: int = 1) -> Rule:
    """Page when a stream's interval lies outside, so many weeks in a row."""

    def pages(weeks: Weeks, order: Integers) -> tuple[Flags, Integers]:
        outside = weeks.outside[confidence][0][order]
        for _ in range(in_a_row - 1):
            shifted = np.zeros_like(outside)
            shifted[:, 1:] = outside[:, :-1]
            outside = outside & shifted
        return np.asarray(outside.any(axis=2)), np.asarray(outside.argmax(axis=2), dtype=np.int64)

    return pages


def false_pages(rule: Rule, healthy: Weeks, years: float, rng: np.random.Generator) -> tuple[int, float]:
    """Pages of a panel that keeps its limits, and the panel-years that were looked at."""
    runs = max(round(years * WEEKS_A_YEAR / RUN_WEEKS), 1)
    order = rng.integers(0, healthy.number, (runs, RUN_WEEKS))
    return int(rule(healthy, order)[0].sum()), runs * RUN_WEEKS / WEEKS_A_YEAR


@dataclass(frozen=True)
class Delay:
    """Mean weeks until a loss is paged, the paging one counted, and the share of pages that name the loser first."""

    weeks: float
    names_loser: float


def delay(rule: Rule, healthy: Weeks, after: Weeks, losers: Flags, runs: int, rng: np.random.Generator) -> Delay:
    """Of runs without a page in the healthy weeks before the loss."""
    order = np.concatenate(
        [
            rng.integers(0, healthy.number, (runs, HEALTHY)),
            healthy.number + rng.integers(0, after.number, (runs, MOST)),
        ],
        axis=1,
    )
    found, first = rule(healthy.then(after), order)
    calm = ~found[:, :HEALTHY].any(axis=1)
    later: Flags = found[calm, HEALTHY:]
    waits: Floats = np.where(later.any(axis=1), later.argmax(axis=1) + 1, MOST)
    paged = later.any(axis=1)
    named = losers[first[calm, HEALTHY:][paged, later[paged].argmax(axis=1)]]
    return Delay(float(waits.mean()), float(named.mean()) if paged.any() else 0.0)
