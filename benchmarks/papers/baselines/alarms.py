"""What a limit on the drop costs in false alarms, when the baseline is taken for exact and when it is not.

Precisions drawn weekly, and a true drop of exactly what is allowed: every page is false, and one a year is promised for
all streams together. Pages of intervals are worked out over all counts that can come; those of evidence added up over
weeks are simulated.
"""

from dataclasses import dataclass
from functools import cache
from math import exp, lgamma, log, sqrt
from typing import Final

import numpy as np

from stratawatch.core.alarms.judge import page_confidence
from stratawatch.core.baselines.drop import drop_interval
from stratawatch.core.cells import Flags
from stratawatch.core.estimation.mover import IntervalEnds
from stratawatch.core.estimation.wilson import wilson_interval
from stratawatch.core.population import Floats

WEEKS: Final = 52
LABELS: Final = 300
TRUE: Final = 0.8
ALLOWED: Final = 0.03
WORSE: Final = 0.05
"""A drop of so much more than is allowed should be paged soon."""
BASELINE_WEEKS: Final = (1, 4, 8, 26)
STREAMS: Final = (1, 20)
UNLUCKY: Final = 0.05
_BETS: Final = (0.03, 0.06, 0.12)


@dataclass(frozen=True)
class Pages:
    """Pages a year that are false, those if every baseline were of the worst twentieth, and the weeks to a real one.

    `weeks` of labels made the baseline; 0: it is the truth.
    """

    rule: str
    streams: int
    weeks: int
    false: float
    error: float
    unlucky: float
    delay: float


def exact(streams: int) -> Pages:
    """The page rule beside a baseline that is the truth: what the current interval's own tails make of the promise."""
    now = np.arange(LABELS + 1) / LABELS
    high = wilson_interval(now, np.asarray(float(LABELS)), page_confidence(streams, WEEKS, 1.0)).high
    paged = TRUE - high > ALLOWED
    false = WEEKS * streams * float(paged @ _binomial(LABELS, TRUE - ALLOWED))
    delay = 1 / float(paged @ _binomial(LABELS, TRUE - ALLOWED - WORSE))
    return Pages("baseline known", streams, 0, false, 0.0, false, delay)


def of_intervals(streams: int, weeks: int) -> list[Pages]:
    """The page rule: an interval wholly beyond the limit, at the confidence that promises one page a year."""
    confidence = page_confidence(streams, WEEKS, 1.0)
    n = weeks * LABELS
    before, now = np.arange(n + 1) / n, np.arange(LABELS + 1) / LABELS
    of_before = wilson_interval(before, np.asarray(float(n)), confidence)
    of_now = wilson_interval(now, np.asarray(float(LABELS)), confidence)
    tall = IntervalEnds(*(end[:, None] for end in of_before))
    pages = {
        "point": before[:, None] - of_now.high > ALLOWED,
        "two intervals apart": tall.low - of_now.high > ALLOWED,
        "drop's interval": drop_interval(before[:, None], now, tall, of_now).low > ALLOWED,
    }
    return [_expected(rule, streams, weeks, paged) for rule, paged in pages.items()]


def _expected(rule: str, streams: int, weeks: int, paged: Flags) -> Pages:
    chances = _binomial(weeks * LABELS, TRUE)
    a_week = paged @ _binomial(LABELS, TRUE - ALLOWED)
    real = paged @ _binomial(LABELS, TRUE - ALLOWED - WORSE)
    order = np.argsort(-a_week, kind="stable")
    worst = order[np.cumsum(chances[order]) <= UNLUCKY]
    unlucky = float(chances[worst] @ a_week[worst] / chances[worst].sum())
    # The median: half of the baselines page a real drop sooner.
    by_delay = np.argsort(-real, kind="stable")
    middle = by_delay[np.searchsorted(np.cumsum(chances[by_delay]), 0.5)]
    a_year = WEEKS * streams
    return Pages(rule, streams, weeks, a_year * float(chances @ a_week), 0.0, a_year * unlucky, 1 / float(real[middle]))


def added_up(rng: np.random.Generator, streams: int, weeks: int, runs: int) -> list[Pages]:
    """Every stream's evidence added up over weeks (Shiryaev and Roberts), a page at 52 x streams of it.

    Beside the point baseline stands the lower end of its 95% interval, for which the height is twice as much.
    """
    if weeks:
        before = rng.binomial(weeks * LABELS, TRUE, runs) / (weeks * LABELS)
        lower = wilson_interval(before, np.asarray(float(weeks * LABELS)), 0.95).low
        rules = [("point, added up", before, 1), ("lower end, added up", lower, 2)]
    else:
        rules = [("baseline known, added up", np.full(runs, TRUE), 1)]
    found = []
    for rule, baseline, factor in rules:
        limits, height = baseline - ALLOWED, factor * WEEKS * streams
        pages = _pages(rng, TRUE - ALLOWED, limits, height, WEEKS)[0]
        waited = _pages(rng, TRUE - ALLOWED - WORSE, limits, height, 4 * WEEKS)[1]
        worst = pages[baseline >= np.quantile(baseline, 1 - UNLUCKY)]
        false, error = streams * float(pages.mean()), streams * float(pages.std()) / sqrt(runs)
        delay = float(np.median(waited))
        found.append(Pages(rule, streams, weeks, false, error, streams * float(worst.mean()), delay))
    return found


def _pages(rng: np.random.Generator, true: float, limits: Floats, height: float, weeks: int) -> tuple[Floats, Floats]:
    """Pages of every run, and the week of its first (one after the last if there is none)."""
    bets = np.array(_BETS)[:, None]
    spread = limits * (1 - limits)
    guess = 1 / (1 + np.exp(bets / spread) * (1 - limits) / limits)
    variance = guess * (1 - guess) / LABELS
    stake = np.minimum(bets / (variance + bets**2 / LABELS), 0.9 * LABELS / (1 - limits)) / LABELS
    gain, loss = np.log1p(stake * limits), np.log1p(-stake * (1 - limits))
    evidence, pages = np.zeros_like(stake), np.zeros(len(limits))
    first = np.full(len(limits), weeks + 1.0)
    for week in range(1, weeks + 1):
        yes = rng.binomial(LABELS, true, len(limits))
        evidence = (evidence + 1) * np.exp(yes * loss + (LABELS - yes) * gain)
        paged = evidence.mean(axis=0) >= height
        pages += paged
        first = np.where(paged, np.minimum(first, week), first)
        evidence[:, paged] = 0.0
    return pages, first


def _binomial(n: int, p: float) -> Floats:
    """The chance of every count."""
    logs = [lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(p) + (n - k) * log(1 - p) for k in range(n + 1)]
    return np.array([exp(one) for one in logs])


@cache
def everything(seed: int, runs: int) -> tuple[Pages, ...]:
    """Intervals for one stream and for twenty, then evidence added up for twenty."""
    rng = np.random.default_rng(seed)
    found: list[Pages] = []
    for streams in STREAMS:
        found.append(exact(streams))
        found += [page for weeks in BASELINE_WEEKS for page in of_intervals(streams, weeks)]
    for weeks in (0, *BASELINE_WEEKS):
        found += added_up(rng, STREAMS[-1], weeks, runs)
    return tuple(found)
