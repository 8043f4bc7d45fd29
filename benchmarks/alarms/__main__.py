"""`python -m benchmarks.alarms [--quick] [--cells K4/300 ...]`: false pages and delays of each rule for alarms."""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.stats import chi2

from benchmarks.alarms.frozen_weeks import Weeks, freeze, history_of, limits_of, planned_week, simulate
from benchmarks.alarms.losses import LOSSES, Loss, StillWorld, with_loss
from benchmarks.alarms.panel_years import (
    MOST,
    WEEKS_A_YEAR,
    Delay,
    Rule,
    delay,
    evidence_rule,
    false_pages,
    window_rule,
)
from benchmarks.labels.kinds import FOUR, TEN, Kind
from benchmarks.labels.worlds import Items
from benchmarks.shape import Options, Result, Row, Verdict, main
from stratawatch.core.alarms.evidence.e_detector import page_threshold
from stratawatch.core.alarms.evidence.time_to_page import PageRule, windows_to_page
from stratawatch.core.alarms.judge import page_confidence
from stratawatch.core.estimation.interval import normal_quantile
from stratawatch.core.goals import Focus
from stratawatch.core.tuning import EVIDENCE

ITEMS: Final = 100_000
POINTS: Final = (0.03, 0.05, 0.1)
OURS, UNFOCUSED = "ours", "ours without focus"
BY_EVIDENCE, ADR_6 = "evidence alone, without focus", "one window (ADR 6)"
SAID: Final = (0.05, 0.1)
"""Losses of which a plan says in how many weeks they are paged."""
CONTROL, IN_A_ROW = "95% interval", "95% interval, two in a row"


@dataclass(frozen=True)
class Cell:
    """A panel and its labels a week; `loser` is the place of the classifier that loses."""

    kind: Kind
    labels: int
    loser: int

    @property
    def name(self) -> str:
        """What `--cells` calls it."""
        return f"K{len(self.kind.classifiers)}/{self.labels}"


CELLS: Final = (Cell(FOUR, 300, 1), Cell(FOUR, 900, 1), Cell(FOUR, 100, 1), Cell(TEN, 300, 4))
LONGEST: Final[Mapping[tuple[str, str], tuple[float, float, float]]] = {
    ("K10/300", "precision"): (11, 5.7, 1.7),
    ("K10/300", "recall"): (11.2, 6.4, 2.5),
    ("K4/300", "precision"): (13, 6.4, 2.1),
    ("K4/300", "recall"): (25, 10.1, 4.4),
    ("K4/900", "precision"): (4.6, 2.1, 1.1),
    ("K4/900", "recall"): (9.7, 4.3, 1.5),
    ("K4/100", "precision"): (26, 12.5, 5.3),
    ("K4/100", "recall"): (39, 20, 10.2),
}
"""Weeks until losses of 3, 5 and 10 points are paged, at most, by cell and loss."""


@dataclass(frozen=True)
class Size:
    """How much is simulated, over all histories: weeks of labels, panel-years of false pages, runs of a delay."""

    histories: int
    weeks: int
    years: float
    runs: int
    points: tuple[float, ...]
    losses: tuple[Loss, ...]


FULL: Final = Size(4, 8_000, 2_000, 1_200, POINTS, LOSSES)
QUICK: Final = Size(2, 3_000, 600, 300, (0.05,), ("precision", "recall"))


def rules_of(streams: int) -> dict[str, Rule]:
    """The rules at a promise of one false page a panel-year, by name."""
    share = EVIDENCE.evidence_share
    alone, whole = (page_confidence(streams, WEEKS_A_YEAR, promise) for promise in (1 - share, 1.0))
    return {
        OURS: evidence_rule(page_threshold(streams, WEEKS_A_YEAR, 1.0), alone, follow=True),
        UNFOCUSED: evidence_rule(page_threshold(streams, WEEKS_A_YEAR, 1.0), alone),
        BY_EVIDENCE: evidence_rule(page_threshold(streams, WEEKS_A_YEAR, 1 / share), None),
        ADR_6: window_rule(whole),
        CONTROL: window_rule(0.95),
        IN_A_ROW: window_rule(0.95, in_a_row=2),
    }


def confidences_of(streams: int) -> list[float]:
    """The confidences that the rules ask for."""
    share = EVIDENCE.evidence_share
    return [0.95, *(page_confidence(streams, WEEKS_A_YEAR, promise) for promise in (1 - share, 1.0))]


def rows_of(cell: Cell, size: Size, seed: int) -> Iterator[Row]:
    """A row for the false pages of every rule, and one for each loss: means over several histories of the panel."""
    samples = [Sample(cell, size, seed, number) for number in range(size.histories)]
    for name in rules_of(2 * len(cell.kind.classifiers)):
        counts = [sample.false_pages(name) for sample in samples]
        pages, years = sum(count for count, _ in counts), sum(years for _, years in counts)
        upper = float(chi2.ppf(0.95, 2 * pages + 2)) / 2 / years
        yield {"cell": cell.name, "rule": name, "false pages a year": round(pages / years, 3), "upper": round(upper, 3)}
    for what in size.losses:
        for points in size.points:
            said = [sample.plan_says(what, points) for sample in samples] if what != "both" and points in SAID else []
            lost = [sample.after(what, points) for sample in samples]
            for name in (OURS, UNFOCUSED, BY_EVIDENCE, ADR_6):
                found = [sample.delay(name, after) for sample, after in zip(samples, lost, strict=True)]
                yield {
                    "cell": cell.name,
                    "rule": name,
                    "loss": what,
                    "points": round(100 * points),
                    "weeks": round(float(np.mean([one.weeks for one in found])), 2),
                    "names the loser": round(float(np.mean([one.names_loser for one in found])), 3),
                    **({"plan says": round(float(np.mean(said)), 2)} if said and name == UNFOCUSED else {}),
                }


class Sample:
    """A panel with a history of its own, and healthy weeks from the design that is frozen after it."""

    def __init__(self, cell: Cell, size: Size, seed: int, number: int) -> None:
        self._cell, self._size = cell, size
        names = cell.kind.classifiers
        self._rng = np.random.default_rng([seed, cell.labels, len(names), number])
        self._items = StillWorld(cell.kind, 11 + number, ITEMS).week(1)
        self._history = history_of(names, self._items, cell.labels, self._rng)
        self._limits = limits_of(names, self._items)
        self._rules = rules_of(len(self._limits))
        self._healthy = self._weeks(self._items)
        self._planned = planned_week(freeze(names, self._items, cell.labels, self._history))

    def false_pages(self, rule: str) -> tuple[int, float]:
        """Pages while every metric sits at its limit, and the panel-years that were looked at."""
        return false_pages(self._rules[rule], self._healthy, self._size.years / self._size.histories, self._rng)

    def after(self, what: Loss, points: float) -> Weeks:
        """Weeks after a loss."""
        return self._weeks(with_loss(self._items, self._cell.loser, what, points, self._rng))

    def delay(self, rule: str, after: Weeks) -> Delay:
        """How long a rule takes to page it."""
        loser = self._cell.kind.classifiers[self._cell.loser]
        losers = np.array([test.classifier == loser for test in self._limits])
        runs = self._size.runs // self._size.histories
        return delay(self._rules[rule], self._healthy, after, losers, runs, self._rng)

    def plan_says(self, what: Loss, points: float) -> float:
        """Weeks until it is paged, as `stratawatch plan` says before the loss."""
        loser, streams = self._cell.kind.classifiers[self._cell.loser], len(self._limits)
        test = next(one for one in self._limits if (one.classifier, one.metric) == (loser, what))
        alone = page_confidence(streams, WEEKS_A_YEAR, 1 - EVIDENCE.evidence_share)
        rule = PageRule(page_threshold(streams, WEEKS_A_YEAR, 1.0), normal_quantile(alone))
        return windows_to_page(self._planned, test, points, rule, np.random.default_rng(0)) or float(MOST)

    def _weeks(self, items: Items) -> Weeks:
        """Weeks of the design that follows the goals, and a quarter as many of each whose labels follow a stream."""
        names, levels = self._cell.kind.classifiers, confidences_of(len(self._limits))
        quarter = self._size.weeks // self._size.histories // 4

        def weeks_of(focus: Focus | None, number: int) -> Weeks:
            design = freeze(names, items, self._cell.labels, self._history, focus)
            return simulate(design, self._limits, number, levels, self._rng)

        focuses = [Focus(test.classifier, test.metric) for test in self._limits]
        followed = [weeks_of(focus, quarter).repeated(4) for focus in focuses]
        return Weeks.of_designs([weeks_of(None, 4 * quarter), *followed])


def verdicts(rows: Sequence[Row]) -> Iterator[Verdict]:
    """The promise, the delays, whom pages name, and a control that must break the promise."""
    for row in rows:
        if "upper" in row and row["rule"] == OURS:
            yield Verdict(f"{row['cell']}: false pages a year, upper end", "must", float(str(row["upper"])), 1.0, "<=")
        if "upper" in row and row["rule"] == CONTROL:
            pages = float(str(row["false pages a year"]))
            yield Verdict(f"{row['cell']}: control, false pages by a {CONTROL}", "must", pages, 1.0, ">=")
        if "plan says" in row:
            name = f"{row['cell']}: {row['points']} points of {row['loss']}, weeks that plans say over those it took"
            part = round(float(str(row["plan says"])) / float(str(row["weeks"])), 3)
            yield Verdict(name, "aim", part, 1.333, "<=")
            yield Verdict(name, "aim", part, 0.667, ">=")
        if row["rule"] != OURS or "weeks" not in row:
            continue
        key, points = (str(row["cell"]), str(row["loss"])), int(str(row["points"]))
        if key in LONGEST:
            most = LONGEST[key][[round(100 * one) for one in POINTS].index(points)]
            name = f"{row['cell']}: weeks until {points} points of {row['loss']} are paged"
            yield Verdict(name, "aim", float(str(row["weeks"])), most, "<=")
        if points == 5:
            name = f"{row['cell']}: 5 points of {row['loss']}, pages that name the loser first"
            yield Verdict(name, "must", float(str(row["names the loser"])), 0.8, ">=")


def run(options: Options) -> Result:
    """All cells, or those that were asked for."""
    size = QUICK if options.quick else FULL
    asked = options.given.cells or ([CELLS[0].name] if options.quick else [cell.name for cell in CELLS])
    rows = [row for cell in CELLS if cell.name in asked for row in rows_of(cell, size, options.seed)]
    return Result(rows, list(verdicts(rows)))


def _arguments(parser: argparse.ArgumentParser) -> None:
    names = [cell.name for cell in CELLS]
    parser.add_argument("--cells", nargs="+", choices=names, default=[], help="panels and labels a week (default: all)")


def measure(argv: Sequence[str] | None = None) -> int:
    """Run the benchmark; the exit status."""
    return main("alarms", run, argv, _arguments)


if __name__ == "__main__":
    raise SystemExit(measure())
