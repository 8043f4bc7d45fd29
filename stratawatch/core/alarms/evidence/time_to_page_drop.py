"""In how many windows a fall from a baseline would be paged with the labels of a plan: an expectation, no promise."""

from dataclasses import dataclass
from math import erf, log, sqrt
from typing import Final

import numpy as np

from stratawatch.core.alarms.evidence.betting_round import BettingRound, KnownItems
from stratawatch.core.alarms.evidence.drop_evidence import low_ends
from stratawatch.core.alarms.evidence.drop_tests import DropTest, baseline_ends, shared_stakes
from stratawatch.core.alarms.evidence.linear_tests import LimitTest, linear_test
from stratawatch.core.alarms.evidence.time_to_page import (
    CALM,
    MOST,
    NormalLaw,
    PageRule,
    PlannedWindow,
    moments_of_log_e,
    rates_after,
)
from stratawatch.core.cells import Flags
from stratawatch.core.population import Floats
from stratawatch.core.tuning import EVIDENCE

_RUNS: Final = 200


@dataclass(frozen=True)
class PlannedBaseline:
    """A baseline with its grid, as drops are judged with it.

    `standard_error` is that of its value. It rests on so many `windows`, and `since` have begun while it is in force.
    """

    value: float
    standard_error: float
    points: tuple[float, ...]
    log_b: Floats
    windows: int
    since: int


def windows_to_page_drop(
    planned: PlannedWindow,
    drop: DropTest,
    baseline: PlannedBaseline,
    loss: float,
    rule: PageRule,
    rng: np.random.Generator,
) -> float | None:
    """Mean windows, the paging one counted, until a metric that fell to `loss` beyond its largest drop is paged.

    The baseline's value is taken to be right, and the metric to stand there before the fall. While it grows it takes in
    what came before the fall and then, a lag later, what came after it. Falls that are not paged within `MOST` count as
    that many; None where most are not, or where the plan cannot bet.
    """
    at_value = linear_test(drop.falls_to(baseline.value), planned.cells, planned.atoms)
    after = rates_after(at_value, planned.cells, planned.rates, loss)
    before = rates_after(at_value, planned.cells, planned.rates, -drop.max_drop)
    falls = _Grid.of(planned, [drop.falls_to(point) for point in baseline.points])
    grows = _Grid.of(planned, [drop.was_better_than(point) for point in baseline.points], EVIDENCE.baseline_losses)
    if falls is None or grows is None:
        return None
    error = falls.rounds[0].standard_error
    # One window pages by itself where its interval and the baseline's together lie beyond the largest drop.
    wide = rule.z * sqrt(error**2 + baseline.standard_error**2)
    alone = 0.5 * (1 + erf((loss - wide) / error / sqrt(2))) if error > 0 else 1.0
    calm, fallen = falls.windows(planned, before), falls.windows(planned, after)
    growth = _Growth(baseline, grows.windows(planned, before), grows.windows(planned, after))
    folded, windows, threshold = np.full((len(falls.stakes), _RUNS, 1), -np.inf), 0, log(rule.threshold)
    for window in range(-min(CALM, baseline.since), MOST):
        runs = folded.shape[1]  # those without a page so far
        drawn_from = calm if window < 0 else fallen
        folded = np.logaddexp(folded, growth.before(window, runs, rng)) + low_ends(drawn_from.draw(runs, rng))
        is_enough = _mean(folded).min(axis=-1) >= threshold
        if window < 0:
            folded[:, is_enough] = -np.inf
            continue
        windows += runs
        goes_on = ~is_enough & (rng.random(runs) >= alone)
        folded = folded[:, goes_on]
        growth.keep(goes_on)
        if not folded.size:
            break
    return None if 2 * folded.shape[1] > _RUNS else windows / _RUNS


@dataclass(frozen=True)
class _Grid:
    """The rounds at the points of a grid, and the stakes that they share."""

    rounds: tuple[BettingRound, ...]
    stakes: tuple[float, ...]

    @classmethod
    def of(cls, planned: PlannedWindow, tests: list[LimitTest], losses: tuple[float, ...] = ()) -> "_Grid | None":
        """The rounds of a plan, as `fall_e_values` and `baseline_e_values` make them; None where one cannot bet."""
        cells, totals = planned.cells, planned.totals.astype(np.float64)
        nothing = KnownItems.none(len(cells.sizes))
        asked = [*tests, *(baseline_ends(tests[0]) if losses else ())]
        made = [
            BettingRound.of(linear_test(one, cells, planned.atoms), cells, planned.rates, nothing, totals, totals)
            for one in asked
        ]
        rounds = [one for one in made if one is not None]
        if len(rounds) < len(asked):
            return None
        stakes = shared_stakes(rounds, tests[0], cells, planned.atoms, losses)
        return cls(tuple(rounds[: len(tests)]), tuple(stakes.values()))

    def windows(self, planned: PlannedWindow, rates: Floats) -> "_Windows":
        """Windows with these rates."""
        law = NormalLaw.of(*moments_of_log_e(self.rounds, self.stakes, planned, rates))
        return _Windows(law, (len(self.stakes), len(self.rounds)))


@dataclass(frozen=True)
class _Windows:
    """The law of a window's log e; `shape` is losses x points."""

    law: NormalLaw
    shape: tuple[int, int]

    def draw(self, runs: int, rng: np.random.Generator) -> Floats:
        """Log e of one window: losses x runs x points."""
        drawn = self.law.at(rng.standard_normal((runs, len(self.law.mean))).T)
        return np.ascontiguousarray(drawn.reshape(*self.shape, runs).swapaxes(1, 2))


class _Growth:
    """The baseline as it grows from the fall on, in each run; they share one while it has not grown."""

    def __init__(self, baseline: PlannedBaseline, before: _Windows, after: _Windows) -> None:
        self._baseline, self._windows, self._grown = baseline, (before, after), 0
        self._log_b = np.asarray(baseline.log_b, dtype=np.float64)[:, None]
        self._mean = _mean(low_ends(self._log_b))

    def before(self, window: int, runs: int, rng: np.random.Generator) -> Floats:
        """The mean of log B over its losses before a window, counted from the fall: runs x steps."""
        most = max(EVIDENCE.baseline_windows - self._baseline.windows, 0)
        taken_in = min(max(self._baseline.since + window - EVIDENCE.baseline_lag, 0), most)
        if taken_in > self._grown:
            for number in range(self._grown, taken_in):
                windows = self._windows[number >= self._baseline.since]
                self._log_b = self._log_b + windows.draw(runs, rng)
            self._mean, self._grown = _mean(low_ends(self._log_b)), taken_in
        return self._mean

    def keep(self, goes_on: Flags) -> None:
        """Follow these runs only."""
        if self._grown:
            self._log_b, self._mean = self._log_b[:, goes_on], self._mean[goes_on]


def _mean(logs: Floats) -> Floats:
    """The logarithm of the mean over losses, which are the first axis."""
    return np.asarray(np.logaddexp.reduce(logs, axis=0) - log(len(logs)))
