"""Weeks together: do the intervals of 4 and 13 weeks, and of changes, hold the truth where items stay?

`python -m benchmarks.weeks_together [--persisting .5] [--chains N]` watches a panel of four classifiers with 900 labels
a week, week after week by the product's own designs, while none, half, three quarters or nine tenths of the items stay.
The truth is that of all items. Of one chain, the readings of 4 weeks and the changes overlap with nothing of their
kind, and that of 13 weeks counts once. Beside them stands what one would do with the weeks' estimates alone: their
mean, as if no label were in two weeks, and their difference.

Full run: 200 chains for each share that stays, about twelve minutes on two idle cores.
"""

import argparse
import os
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Final

import numpy as np
from rich.progress import track

from benchmarks.labels.chain import Chain, Watch, weeks_of
from benchmarks.labels.cycle import Period
from benchmarks.labels.kinds import FOUR
from benchmarks.labels.worlds import World
from benchmarks.shape import Kind, Options, Result, Row, Verdict, main
from stratawatch.core.drawn_items import DrawnItems
from stratawatch.core.estimate import Estimate, IntervalEstimate
from stratawatch.core.estimation.mean_of_windows import mean_of_windows
from stratawatch.core.estimation.metric_estimates import EstimationRequest
from stratawatch.core.estimation.mover import IntervalEnds, difference_interval
from stratawatch.core.estimation.pooled_windows import PooledWindows
from stratawatch.core.estimation.window_changes import change_of_windows
from stratawatch.core.goals import SurveySpec
from stratawatch.core.metrics import REPORTED, SideTotals, metric_named

ITEMS, LABELS, WEEKS = 50_000, 900, 13
CHAINS, QUICK_CHAINS, A_TASK = 200, 3, 5
PERSISTING: Final = (0.0, 0.5, 0.75, 0.9)
LEAST, MOST = 0.94, 0.98
TOGETHER: Final[Mapping[str, Sequence[range]]] = {
    "4 weeks": (range(1, 5), range(5, 9), range(9, 13)),
    "13 weeks": (range(13),),
}
CHANGES: Final[Mapping[str, Sequence[tuple[range, range]]]] = {
    "change of a week": tuple((range(week, week + 1), range(week + 1, week + 2)) for week in range(1, 12, 2)),
    "change of 4 weeks": ((range(5, 9), range(9, 13)),),
}
_REQUEST: Final = EstimationRequest(0.95, REPORTED, (None,))


@dataclass(frozen=True)
class Held:
    """An interval beside the truth, and the half-width and the truth of the one that takes estimates by themselves."""

    what: str
    metric: str
    covered: bool
    below: bool
    width: float
    error: float
    apart: bool
    width_apart: float


@dataclass(frozen=True)
class Task:
    """Some chains of one share that stays; each is a world of its own."""

    persisting: float
    chains: range
    seed: int


def simulated(task: Task) -> list[list[Held]]:
    """What every chain's intervals held."""
    return [list(_chain(task, number)) for number in task.chains]


def _chain(task: Task, number: int) -> Iterator[Held]:
    survey = SurveySpec(budget=LABELS)
    watch = Watch(FOUR, number, WEEKS, (), task.seed, task.persisting, survey, ITEMS)
    chain = Chain(watch, 0)
    windows, truths = [], []
    for _, items, new in weeks_of(World(FOUR, task.seed + number, ITEMS), watch):
        cycle = chain.draw(Period(FOUR.classifiers, items), new)
        windows.append(cycle.design.window_labels(cycle.ledger, DrawnItems.of_rounds(cycle.rounds)))
        found, calls = items.calls[items.truth].sum(axis=0), items.calls.sum(axis=0)
        truths.append(SideTotals(calls, len(items) - calls, found, items.truth.sum() - found))
    pooled = PooledWindows(tuple(windows))
    weeks = [pooled.estimates(range(week, week + 1), FOUR.classifiers, _REQUEST) for week in range(WEEKS)]
    for what, several in TOGETHER.items():
        for places in several:
            found_ = pooled.estimates(places, FOUR.classifiers, _REQUEST)
            means = [_mean([weeks[week][place] for week in places]) for place in range(len(found_))]
            yield from _held(what, found_, means, _true(truths, places, found_))
    for what, pairs in CHANGES.items():
        for before, after in pairs:
            found_ = change_of_windows(pooled, before, after, FOUR.classifiers, _REQUEST)
            ends = [pooled.estimates(places, FOUR.classifiers, _REQUEST) for places in (before, after)]
            apart = [_difference(*pair) for pair in zip(*ends, strict=True)]
            was, now = (_true(truths, places, found_) for places in (before, after))
            yield from _held(what, found_, apart, [b - a for a, b in zip(was, now, strict=True)])


def _true(truths: Sequence[SideTotals], places: range, found: Sequence[Estimate]) -> list[float]:
    totals = SideTotals(*(np.sum(each, axis=0) for each in zip(*(truths[week] for week in places), strict=True)))
    return [float(metric_named(one.metric).value(totals)[FOUR.classifiers.index(one.classifier)]) for one in found]


def _held(
    what: str, found: Sequence[Estimate], apart: Sequence[IntervalEstimate], truths: Sequence[float]
) -> Iterator[Held]:
    for one, alone, truth in zip(found, apart, truths, strict=True):
        result = _defined(one)
        yield Held(
            what,
            one.metric,
            covered=result.low <= truth <= result.high,
            below=truth < result.low,
            width=result.half_width,
            error=result.value - truth,
            apart=alone.low <= truth <= alone.high,
            width_apart=alone.half_width,
        )


def _mean(estimates: Sequence[Estimate]) -> IntervalEstimate:
    return mean_of_windows([_defined(one) for one in estimates])


def _difference(before: Estimate, after: Estimate) -> IntervalEstimate:
    was, now = _defined(before), _defined(after)
    of_was, of_now = (IntervalEnds(np.array(one.low), np.array(one.high)) for one in (was, now))
    low, high = difference_interval(np.array(now.value), np.array(was.value), of_now, of_was, 0.0)
    return IntervalEstimate(now.value - was.value, float(low), float(high), 0.0)


def _defined(estimate: Estimate) -> IntervalEstimate:
    """The estimate's interval; one that cannot tell holds everything and is as wide as can be."""
    return estimate.result if isinstance(estimate.result, IntervalEstimate) else IntervalEstimate(0.5, 0.0, 1.0, 0.0)


def run(options: Options) -> Result:
    """Watch all chains, a process a core."""
    chains = options.given.chains or (QUICK_CHAINS if options.quick else CHAINS)
    shares = options.given.persisting or PERSISTING
    blocks = [range(start, min(start + A_TASK, chains)) for start in range(0, chains, A_TASK)]
    tasks = [Task(share, block, options.seed) for share in shares for block in blocks]
    found: dict[float, list[list[Held]]] = defaultdict(list)
    for task, some in zip(tasks, track(_all(tasks, options.given.workers), "chains", len(tasks)), strict=True):
        found[task.persisting] += some
    # So few chains as a quick run has would miss a promise that holds.
    kind: Kind = "aim" if options.quick else "must"
    rows = [row for share in shares for row in _rows(share, found[share])]
    return Result(rows, [one for share in shares for one in _verdicts(share, found[share], kind)])


def _all(tasks: Sequence[Task], workers: int) -> Iterator[list[list[Held]]]:
    os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"
    if workers == 1:
        yield from map(simulated, tasks)
        return
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        yield from pool.map(simulated, tasks)


def _rows(share: float, chains: Sequence[Sequence[Held]]) -> Iterator[Row]:
    """A row for each reading and metric; half-widths in points."""
    for what in (*TOGETHER, *CHANGES):
        for metric in REPORTED:
            some = [one for chain in chains for one in chain if (one.what, one.metric) == (what, metric)]
            yield {
                "persisting": share,
                "reading": what,
                "metric": metric,
                "held": _average(one.covered for one in some),
                "truth below": _average(one.below for one in some),
                "half-width": 100 * _average(one.width for one in some),
                "needed": 196 * _average(one.error**2 for one in some) ** 0.5,
                "weeks apart: held": _average(one.apart for one in some),
                "half-width apart": 100 * _average(one.width_apart for one in some),
            }
    for what in (*TOGETHER, *CHANGES):
        means = _by_chain(what, chains)
        yield {
            "persisting": share,
            "reading": what,
            "chains": len(means),
            "held, all goals": _average(means),
            "error": float(np.std(means)) / max(len(means) - 1, 1) ** 0.5,
        }


def _verdicts(share: float, chains: Sequence[Sequence[Held]], kind: Kind) -> Iterator[Verdict]:
    for what in (*TOGETHER, *CHANGES):
        held = _average(_by_chain(what, chains))
        yield Verdict(f"{what}, {share:.0%} persisting: intervals that hold the truth", kind, held, LEAST, ">=")
        yield Verdict(f"{what}, {share:.0%} persisting: and no more than", kind, held, MOST, "<=")


def _by_chain(what: str, chains: Sequence[Sequence[Held]]) -> list[float]:
    """The coverage of every chain: its goals rest on the same labels, so that only chains are independent."""
    return [_average(one.covered for one in chain if one.what == what) for chain in chains]


def _average(values: Iterable[float]) -> float:
    return float(np.mean([*values]))


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--chains", type=int, help=f"panels of every share (default {CHAINS}, quick {QUICK_CHAINS})")
    parser.add_argument("--persisting", nargs="+", type=float, help="only these shares of items that stay")
    parser.add_argument("--workers", type=int, default=min(2, os.cpu_count() or 1), help="processes")


if __name__ == "__main__":
    sys.exit(main("weeks_together", run, extra=_options))
