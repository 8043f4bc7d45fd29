"""What moved, and which cut-off would mend it: do the intervals hold the truth on the demo's world, is north named?

A world of the demo is cut week by week as the engine would; then the labels of its weeks are drawn again and again, and
each time the change from before the break to after it (and between healthy weeks) is taken apart, and cut-offs are
tried: higher ones for the floor of precision that the break crosses, lower ones for five points more recall. The truth
is that of all items:

    python -m benchmarks.moved --runs 400 --json moved.json
"""

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Final

import numpy as np

from benchmarks.moved_frames import SEGMENTS, WeekFrame, frames_of, true_at_cut_off, true_parts, true_share_of_scores
from benchmarks.shape import Kind, Options, Result, Row, Verdict, main
from stratawatch.core.alarms.cut_offs import CutOff, CutOffChoice, LimitLine, choose_cut_off
from stratawatch.core.alarms.moved import MetricChange, ValueInterval, what_moved
from stratawatch.core.alarms.score_groups import score_groups
from stratawatch.core.estimation.wilson import wilson_interval
from stratawatch.demo.messages import REGIONS
from stratawatch.demo.world import BREAK_WEEK, DEGRADED_CLASSIFIER, SimulatedWorld
from stratawatch.errors import StratawatchError

RUNS: Final = 400
QUICK_RUNS: Final = 60
WEEKS: Final = 10
QUICK_WEEKS: Final = 7
BROKEN: Final = "north"
PROMISED: Final = 0.93
CUT_OFFS_PROMISED: Final = 0.92
CHOSEN_PROMISED: Final = 0.90
NAMED: Final = 0.90
ANOTHER: Final = 0.10
SHORT: Final = 0.02
"""Below the floor by so much, a chosen cut-off is counted as short of it."""
MISSING_RECALL: Final = 0.05
_ROUNDING: Final = 1e-9

Weeks = tuple[int, ...]
Comparison = tuple[Weeks, Weeks]
Part = tuple[str, str]
COMPARISONS: Final[tuple[Comparison, ...]] = (
    ((6,), (7,)),
    ((3, 4, 5, 6), (7,)),
    ((3, 4, 5, 6), (7, 8)),
    ((5,), (6,)),
    ((3, 4), (5, 6)),
)
"""Weeks before and after: first those of a page, then healthy ones, of which nothing is to be named."""
CUT_OFF_WEEKS: Final[tuple[Weeks, ...]] = ((7,), (7, 8), (7, 8, 9, 10))
METRICS: Final = ("precision", "recall")


@dataclass
class Cell:
    """How often the intervals of one kind held the truth."""

    held: list[bool] = field(default_factory=list)

    @property
    def share(self) -> float:
        """The coverage."""
        return float(np.mean(self.held)) if self.held else float("nan")

    @property
    def is_surely_below(self) -> bool:
        """Whether the upper 99% bound of the coverage lies below what was promised."""
        high = wilson_interval(np.array(self.share), np.array(float(len(self.held))), 0.98).high
        return float(high) < PROMISED


@dataclass
class Names:
    """In how many pages the broken region was named, and another one."""

    broken: list[bool] = field(default_factory=list)
    another: list[bool] = field(default_factory=list)

    def add(self, change: MetricChange) -> None:
        """Count a page."""
        names = {segment.value for segment in change.named_segments}
        self.broken.append(BROKEN in names)
        self.another.append(bool(names - {BROKEN}))


def run(options: Options) -> Result:
    """Cut the world's weeks, draw their labels again and again."""
    runs = options.given.runs or (QUICK_RUNS if options.quick else RUNS)
    world, frames = frames_of(options.seed, QUICK_WEEKS if options.quick else WEEKS)
    rng = np.random.default_rng([options.seed, 16])
    rows: list[Row] = []
    verdicts = [*_changes(frames, runs, rng, rows), *_cut_offs(world, frames, runs, rng, rows)]
    return Result(rows, [*verdicts, *_score_groups(frames, runs, rng, rows)])


def _changes(frames: Sequence[WeekFrame], runs: int, rng: np.random.Generator, rows: list[Row]) -> Iterator[Verdict]:
    cells: list[Cell] = []
    pages, healthy = Names(), Names()
    for before, after in COMPARISONS:
        if after[-1] > len(frames):
            continue
        drawn = [_changes_of_one_draw(frames, (before, after), rng) for _ in range(runs)]
        for metric in METRICS:
            found = [one[metric] for one in drawn]
            for one in found if metric == "precision" else ():
                (pages if after[0] >= BREAK_WEEK else healthy).add(one)
            for part, true in _truth(frames, (before, after), metric).items():
                intervals = [ends for one in found if (ends := _intervals(one).get(part)) is not None]
                cell = Cell([_holds(ends, true) for ends in intervals])
                cells.append(cell)
                rows.append(
                    {
                        "metric": metric,
                        "weeks": f"{_text(before)} -> {_text(after)}",
                        "part": " ".join(part),
                        "truth, points": 100 * true,
                        "held": cell.share,
                        "half-width, points": 100 * float(np.mean([ends.half_width for ends in intervals])),
                    }
                )
    everything = Cell([held for cell in cells for held in cell.held])
    below = sum(cell.is_surely_below for cell in cells)
    yield Verdict("intervals of parts that hold the truth", "must", everything.share, PROMISED, ">=")
    yield Verdict(f"cells of {len(cells)} that are surely below", "must", below, 0, "<=")
    yield Verdict(f"pages that name {BROKEN}", "must", float(np.mean(pages.broken)), NAMED, ">=")
    yield Verdict("pages that name another region", "must", float(np.mean(pages.another)), ANOTHER, "<=")
    named = np.array(healthy.broken) | np.array(healthy.another)
    yield Verdict("healthy changes of which a region is named", "aim", float(named.mean()), ANOTHER, "<=")


def _changes_of_one_draw(
    frames: Sequence[WeekFrame], comparison: Comparison, rng: np.random.Generator
) -> dict[str, MetricChange]:
    """The change of every metric, by the same labels."""
    before, after = ([frames[week - 1].draw(rng) for week in weeks] for weeks in comparison)
    changes = {metric: what_moved(before, after, DEGRADED_CLASSIFIER, metric, SEGMENTS) for metric in METRICS}
    defined = {metric: found for metric, found in changes.items() if isinstance(found, MetricChange)}
    if len(defined) < len(changes):
        raise StratawatchError("a change cannot be taken apart", expected="labels of every week")
    return defined


def _truth(frames: Sequence[WeekFrame], comparison: Comparison, metric: str) -> dict[Part, float]:
    before, after = ([frames[week - 1] for week in weeks] for weeks in comparison)
    rate, mix, change = true_parts(before, after, DEGRADED_CLASSIFIER, metric)
    parts = {
        (kind, region): float(value)
        for kind, values in (("rate", rate), ("mix", mix))
        for region, value in zip(REGIONS, values, strict=True)
    }
    return {**parts, ("change", "all"): change}


def _intervals(change: MetricChange) -> dict[Part, ValueInterval]:
    parts: dict[Part, ValueInterval] = {
        (part.kind, part.domain.segment.value): part.change for part in change.parts if part.domain.segment is not None
    }
    return {**parts, ("change", "all"): change.change}


def _holds(ends: ValueInterval, truth: float) -> bool:
    return ends.low - _ROUNDING <= truth <= ends.high + _ROUNDING


def _score_groups(
    frames: Sequence[WeekFrame], runs: int, rng: np.random.Generator, rows: list[Row]
) -> Iterator[Verdict]:
    """The share of positives among items of like scores, before the break and after it."""
    everything, cells = Cell(), []
    for before, after in COMPARISONS[1:3]:
        if after[-1] > len(frames):
            continue
        sides = [[frames[week - 1] for week in weeks] for weeks in (before, after)]
        by_place: dict[tuple[int, str], Cell] = defaultdict(Cell)
        for _ in range(runs):
            was, now = ([one.scored(one.draw(rng), DEGRADED_CLASSIFIER) for one in some] for some in sides)
            for place, group in enumerate(score_groups(was, now, DEGRADED_CLASSIFIER)):
                readings = ("before", group.before, sides[0]), ("now", group.now, sides[1])
                for name, reading, some in readings:
                    if reading.positives is not None:
                        true = true_share_of_scores(some, DEGRADED_CLASSIFIER, group.low, group.high)
                        by_place[place, name].held.append(_holds(reading.positives, true))
        for (place, name), cell in sorted(by_place.items()):
            everything.held += cell.held
            cells.append(cell)
            weeks = f"{_text(before)} -> {_text(after)}"
            rows.append({"weeks": weeks, "scores": f"group {place + 1}", "windows": name, "held": cell.share})
    yield Verdict("shares of positives by score inside their interval", "must", everything.share, PROMISED, ">=")
    below = sum(cell.is_surely_below for cell in cells)
    yield Verdict(f"of {len(cells)} groups of scores, surely below", "must", below, 0, "<=")


def _cut_offs(
    world: SimulatedWorld, frames: Sequence[WeekFrame], runs: int, rng: np.random.Generator, rows: list[Row]
) -> Iterator[Verdict]:
    precision, recall, flags, short = Cell(), Cell(), Cell(), Cell()
    chosen = {metric: Cell() for metric in METRICS}
    for metric, weeks in product(METRICS, CUT_OFF_WEEKS):
        if weeks[-1] > len(frames):
            continue
        some = [frames[week - 1] for week in weeks]
        limit = _limit(world, some, metric)
        tried: dict[int, list[tuple[CutOff, list[bool]]]] = defaultdict(list)
        chosen_places: list[int] = []
        for _ in range(runs):
            found = _one_choice(world, some, limit, rng)
            cut_offs = (found.in_use, *found.others)
            for place, one in enumerate(cut_offs):
                truth = true_at_cut_off(world, some, DEGRADED_CLASSIFIER, one.score)
                tried[place].append((one, list(map(_holds, (one.precision, one.recall, one.calls), truth))))
            if found.suggested is not None:
                chosen_places.append(cut_offs.index(found.suggested))
                true = true_at_cut_off(world, some, DEGRADED_CLASSIFIER, found.suggested.score)[METRICS.index(metric)]
                chosen[metric].held.append(_holds(found.suggested.value, true))
                if metric == "precision":
                    short.held.append(true < limit.value - SHORT)
        for place, outcomes in tried.items():
            of = [Cell([held[i] for _, held in outcomes]) for i in range(3)]
            for cell, more in zip((precision, recall, flags), of, strict=True):
                cell.held += more.held
            row = _cut_off_row(weeks, [one for one, _ in outcomes], of, chosen_places.count(place) / runs)
            rows.append({"limit of": metric, **row})
    yield Verdict("precision of cut-offs inside its interval", "must", precision.share, CUT_OFFS_PROMISED, ">=")
    yield Verdict("recall of cut-offs inside its interval", "aim", recall.share, CUT_OFFS_PROMISED, ">=")
    yield Verdict("flags of cut-offs inside their interval", "aim", flags.share, CUT_OFFS_PROMISED, ">=")
    for metric, cell in chosen.items():
        kind: Kind = "must" if metric == "precision" else "aim"
        yield Verdict(f"{metric} of the chosen one inside its interval", kind, cell.share, CHOSEN_PROMISED, ">=")
    yield Verdict("chosen ones whose precision is 2 points short of the floor", "aim", short.share, ANOTHER, "<=")


def _limit(world: SimulatedWorld, frames: Sequence[WeekFrame], metric: str) -> LimitLine:
    """The demo's floor of precision, which the break crosses; one of recall that the cut-off in use does not hold."""
    if metric == "precision":
        return LimitLine(metric, world.floors[DEGRADED_CLASSIFIER, metric])
    return LimitLine(metric, true_at_cut_off(world, frames, DEGRADED_CLASSIFIER, None)[1] + MISSING_RECALL)


def _cut_off_row(weeks: Weeks, tried: Sequence[CutOff], held: Sequence[Cell], chosen: float) -> Row:
    score = "in use" if tried[0].score is None else f"about {np.mean([one.score for one in tried]):.2f}"
    return {
        "weeks": _text(weeks),
        "cut-off": score,
        "precision held": held[0].share,
        "recall held": held[1].share,
        "flags held": held[2].share,
        "precision +-, points": 100 * float(np.mean([one.precision.half_width for one in tried])),
        "flags +-, %": 100 * float(np.mean([one.calls.half_width / one.calls.value for one in tried])),
        "chosen": chosen,
    }


def _one_choice(
    world: SimulatedWorld, frames: Sequence[WeekFrame], limit: LimitLine, rng: np.random.Generator
) -> CutOffChoice:
    windows = [frame.scored(frame.draw(rng), DEGRADED_CLASSIFIER) for frame in frames]
    in_use = float(world.models.cut_offs[DEGRADED_CLASSIFIER])
    found = choose_cut_off(windows, DEGRADED_CLASSIFIER, limit, in_use=in_use)
    if not isinstance(found, CutOffChoice):
        raise StratawatchError(f"no cut-off can be tried: {found.reason}")
    return found


def _text(weeks: Weeks) -> str:
    return ", ".join(map(str, weeks))


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--runs", type=int, help=f"draws of each comparison (default {RUNS}, quick {QUICK_RUNS})")


if __name__ == "__main__":
    sys.exit(main("moved", run, extra=_options))
