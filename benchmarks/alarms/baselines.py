"""`python -m benchmarks.alarms.baselines [--quick]`: falls from measured baselines, paged by evidence alone."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.stats import chi2

from benchmarks.alarms.frozen_weeks import (
    FrozenWeek,
    draw_labels,
    estimates,
    freeze,
    history_of,
    limits_of,
    planned_week,
)
from benchmarks.alarms.losses import StillWorld, with_loss
from benchmarks.alarms.panel_years import HEALTHY, MOST, RUN_WEEKS, WEEKS_A_YEAR
from benchmarks.labels.kinds import FOUR
from benchmarks.labels.worlds import Flags, Floats, Integers, Items
from benchmarks.shape import Options, Result, Row, Verdict, main
from stratawatch.core.alarms.evidence.betting_round import BettingRound, KnownItems
from stratawatch.core.alarms.evidence.drop_evidence import low_ends
from stratawatch.core.alarms.evidence.drop_tests import DropTest, baseline_ends, shared_stakes
from stratawatch.core.alarms.evidence.e_detector import page_threshold
from stratawatch.core.alarms.evidence.linear_tests import LimitTest, linear_test
from stratawatch.core.alarms.evidence.time_to_page import MOST as PLANS_CUT
from stratawatch.core.alarms.evidence.time_to_page import PageRule
from stratawatch.core.alarms.evidence.time_to_page_drop import PlannedBaseline, windows_to_page_drop
from stratawatch.core.tuning import EVIDENCE

ITEMS: Final = 100_000
LABELS: Final = 300
LOSER: Final = 1
WINDOWS: Final = 8
"""Weeks from which a baseline is measured."""
POINTS: Final = (0.03, 0.05, 0.1)
LONGEST: Final = {"precision": (38.0, 11.5, 3.6), "recall": (64.0, 35.0, 7.4)}
"""Weeks until falls of 3, 5 and 10 points are paged, at most."""
SAID: Final = (0.05, 0.1)
"""The falls of which plans say after how many weeks they are paged."""
_BATCH: Final = 100


@dataclass(frozen=True)
class Size:
    """Histories of the panel; of each, weeks of labels, panel-years of false pages, runs of a delay, and baselines."""

    histories: int
    weeks: int
    years: float
    runs: int
    baselines: int


FULL: Final = Size(4, 2_000, 250, 150, 10)
QUICK: Final = Size(2, 1_000, 60, 30, 3)


@dataclass(frozen=True)
class DropWeeks:
    """Weeks of labels on grids: E (weeks x streams x bets x steps), log B (weeks x streams x losses x points).

    And their estimates (weeks x streams).
    """

    e: Floats
    log_b: Floats
    values: Floats


class Panel:
    """Four classifiers whose precision and recall must not fall; grids reach six standard errors to either side."""

    def __init__(self, size: Size, seed: int, number: int) -> None:
        self._rng = np.random.default_rng([seed, LABELS, number])
        self._items = StillWorld(FOUR, 11 + number, ITEMS).week(1)
        self._history = history_of(FOUR.classifiers, self._items, LABELS, self._rng)
        self._size, self._streams = size, limits_of(FOUR.classifiers, self._items)
        week = freeze(FOUR.classifiers, self._items, LABELS, self._history)
        self._grids = [_grid(week, one) for one in self._streams]
        self._design, self._healthy = week, self._weeks(week)

    def false_pages(self) -> tuple[int, float]:
        """Pages while nothing falls, and the panel-years that were looked at."""
        runs = max(round(self._size.years * WEEKS_A_YEAR / RUN_WEEKS), 1)
        order = self._rng.integers(0, self._size.weeks, (runs, RUN_WEEKS))
        found = [
            self._pages(order[at : at + _BATCH], self._healthy, RUN_WEEKS)[0].sum() for at in range(0, runs, _BATCH)
        ]
        return int(sum(found)), runs * RUN_WEEKS / WEEKS_A_YEAR

    def delay(self, what: str, points: float) -> tuple[float, float, float]:
        """Mean weeks until a fall is paged, cut at 80 and where plans cut; the share of pages that name the loser."""
        items: Items = with_loss(
            self._items, LOSER, "precision" if what == "precision" else "recall", points, self._rng
        )
        after = self._weeks(freeze(FOUR.classifiers, items, LABELS, self._history))
        order = self._rng.integers(0, self._size.weeks, (self._size.runs, HEALTHY + PLANS_CUT))
        parts = [self._pages(order[at : at + _BATCH], after, HEALTHY) for at in range(0, len(order), _BATCH)]
        pages, first = (np.concatenate([part[place] for part in parts]) for place in (0, 1))
        calm = ~pages[:, :HEALTHY].any(axis=1)
        later, names = pages[calm, HEALTHY:], first[calm, HEALTHY:]
        paged = later.any(axis=1)
        waits = np.where(paged, later.argmax(axis=1) + 1, PLANS_CUT)
        losers = np.array([one.classifier == FOUR.classifiers[LOSER] for one in self._streams])
        named = losers[names[paged, later[paged].argmax(axis=1)]]
        return float(np.minimum(waits, MOST).mean()), float(waits.mean()), float(named.mean())

    def plan_says(self, what: str, points: float) -> float:
        """Weeks until a fall is paged, as `stratawatch plan` says before it: a mean over baselines from labels."""
        loser = FOUR.classifiers[LOSER]
        place = [(one.classifier, one.metric) for one in self._streams].index((loser, what))
        error = _rounds(self._design, [self._streams[place]])[0].standard_error
        rule, planned = PageRule(_threshold(self._streams), np.inf), planned_week(self._design)
        drop, said = DropTest(loser, what, None, 0.0), []
        for number in range(self._size.baselines):
            measured = self._rng.integers(0, self._size.weeks, WINDOWS)
            baseline = PlannedBaseline(
                value=float(self._healthy.values[measured, place].mean()),
                standard_error=error / WINDOWS**0.5,
                points=tuple(self._grids[place]),
                log_b=self._healthy.log_b[measured, place].sum(axis=0),
                windows=WINDOWS,
                since=HEALTHY,
            )
            found = windows_to_page_drop(planned, drop, baseline, points, rule, np.random.default_rng(number))
            said.append(found or PLANS_CUT)
        return float(np.mean(said))

    def _weeks(self, week: FrozenWeek) -> DropWeeks:
        answers, yes = draw_labels(week, self._size.weeks, self._rng)
        pairs = zip(self._streams, self._grids, strict=True)
        both = [[_log_e(week, one, grid, sign, answers, yes) for sign in (1, -1)] for one, grid in pairs]
        e, log_b = (np.stack([pair[place] for pair in both], axis=1) for place in (0, 1))
        return DropWeeks(np.exp(low_ends(e)).astype(np.float32), log_b, estimates(week, self._streams, answers, yes))

    def _pages(self, order: Integers, after: DropWeeks, began: int) -> tuple[Flags, Integers]:
        """Which weeks of each run page, and the stream that leads; from week `began` on labels are those `after`."""
        runs, weeks = order.shape
        measured = self._rng.integers(0, self._size.weeks, (runs, WINDOWS))
        log_b = self._healthy.log_b[measured].sum(axis=1)
        threshold = _threshold(self._streams)
        gathered = np.zeros(())
        pages, first = np.zeros((runs, weeks), dtype=np.bool_), np.zeros((runs, weeks), dtype=np.int64)
        may_grow = np.ones((runs, len(self._streams)), dtype=np.bool_)
        for week in range(weeks):
            labels = self._healthy if week < began else after
            better = np.exp(np.minimum(low_ends(log_b), 300.0)).mean(axis=2, keepdims=True)
            gathered = np.minimum((gathered + better) * labels.e[order[:, week]], 1e250)
            by_stream = gathered.mean(axis=2).min(axis=2)
            enough = by_stream.sum(axis=1) >= threshold
            pages[:, week], first[:, week] = enough, by_stream.argmax(axis=1)
            gathered[enough] = 0.0
            may_grow[enough, first[enough, week]] = False
            past = week - EVIDENCE.baseline_lag
            if 0 <= past < EVIDENCE.baseline_windows - WINDOWS:
                labels = self._healthy if past < began else after
                log_b = log_b + labels.log_b[order[:, past]] * may_grow[:, :, None, None]
        return pages, first


def _threshold(streams: Sequence[LimitTest]) -> float:
    return page_threshold(len(streams), WEEKS_A_YEAR, 1 / EVIDENCE.evidence_share)


def _rounds(week: FrozenWeek, tests: list[LimitTest]) -> list[BettingRound]:
    cells, totals = week.cells, week.totals.astype(np.float64)
    rates = cells.imputed_scores if cells.prior_rate is None else cells.prior_rate
    nothing = KnownItems.none(len(cells.sizes))
    made = [
        BettingRound.of(linear_test(one, cells, week.atoms), cells, rates, nothing, totals, totals) for one in tests
    ]
    return [one for one in made if one is not None]


def _grid(week: FrozenWeek, stream: LimitTest) -> list[float]:
    reach = 6 * _rounds(week, [stream])[0].standard_error / WINDOWS**0.5
    grid = np.linspace(max(stream.limit - reach, 0.001), min(stream.limit + reach, 0.999), EVIDENCE.grid_points)
    return [float(point) for point in grid]


def _log_e(week: FrozenWeek, stream: LimitTest, grid: list[float], sign: int, answers: Floats, yes: Floats) -> Floats:
    """Log E of every week by loss and point, or log B (sign -1)."""
    drop = DropTest(stream.classifier, stream.metric, None, 0.0)
    tests = [drop.falls_to(point) if sign > 0 else drop.was_better_than(point) for point in grid]
    bets = _rounds(week, [*tests, *(() if sign > 0 else baseline_ends(tests[0]))])
    losses = EVIDENCE.losses if sign > 0 else EVIDENCE.baseline_losses
    touched = np.isin(week.cells.strata, np.unique(week.cells.strata[bets[0].betting]))
    found = np.empty((len(answers), len(losses), len(grid)))
    for row, stake in enumerate(shared_stakes(bets, tests[0], week.cells, week.atoms, losses).values()):
        for place in range(len(grid)):
            on_yes, on_no, _ = bets[place].log_factors(stake)
            found[:, row, place] = yes @ (on_yes * touched) + (answers - yes) @ (on_no * touched)
    return found


def rows_of(size: Size, seed: int) -> Iterator[Row]:
    """A row for false pages, and one for each fall: means over several histories, and their standard error."""
    panels = [Panel(size, seed, number) for number in range(size.histories)]
    counts = [panel.false_pages() for panel in panels]
    pages, years = sum(count for count, _ in counts), sum(years for _, years in counts)
    upper = float(chi2.ppf(0.95, 2 * pages + 2)) / 2 / years
    yield {"cell": "K4/300", "false pages a year": round(pages / years, 3), "upper": round(upper, 3)}
    for what in LONGEST:
        for points in POINTS:
            weeks, uncut, named = np.array([panel.delay(what, points) for panel in panels]).T
            error = float(weeks.std(ddof=1)) / len(weeks) ** 0.5
            facts = {"weeks": round(float(weeks.mean()), 1), "error": round(error, 1)}
            named_first = {"names the loser": round(float(named.mean()), 3)}
            row: Row = {"cell": "K4/300", "fall": what, "points": round(100 * points), **facts, **named_first}
            if points in SAID:
                said = np.mean([panel.plan_says(what, points) for panel in panels])
                row = {**row, "plan says": round(float(said), 1), "by the same cut": round(float(uncut.mean()), 1)}
            yield row


def run(options: Options) -> Result:
    """All of it."""
    rows = list(rows_of(QUICK if options.quick else FULL, options.seed))
    verdicts = [Verdict("false pages a year, upper end", "must", float(str(rows[0]["upper"])), 1.0, "<=")]
    for row in rows[1:]:
        place = [round(100 * one) for one in POINTS].index(int(str(row["points"])))
        name = f"weeks until {row['points']} points of {row['fall']} are paged"
        weeks = float(str(row["weeks"]))
        verdicts.append(Verdict(name, "aim", weeks, LONGEST[str(row["fall"])][place], "<="))
        if "plan says" in row:
            ratio = round(float(str(row["plan says"])) / float(str(row["by the same cut"])), 3)
            said = f"{row['points']} points of {row['fall']}, weeks that plans say over those it took"
            verdicts += [Verdict(said, "aim", ratio, 1.333, "<="), Verdict(said, "aim", ratio, 0.667, ">=")]
    return Result(rows, verdicts)


if __name__ == "__main__":
    raise SystemExit(main("alarms.baselines", run))
