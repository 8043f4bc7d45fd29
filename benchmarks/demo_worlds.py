"""The demo's world, 200 times over, straight through the core: do its promises hold beyond one lucky seed?

Every world trains its own classifiers and has its own limits, messages and draws. Three things differ from the demo:
no Prefect, SQL or files; random numbers come from a generator instead of md5; the pools are cut in numpy.
"""

import argparse
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from math import sqrt
from multiprocessing import get_context
from typing import Final

from rich.progress import track

from benchmarks.demo_worlds_loop import JudgedEstimate, run_world
from benchmarks.shape import Options, Result, Verdict, main
from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.core.alarms.harm import WrongCalls, more_than_before
from stratawatch.core.alarms.moved import MOST_WINDOWS, ValueInterval
from stratawatch.core.estimate import IntervalEstimate
from stratawatch.core.metrics import REPORTED
from stratawatch.demo.comparison import ComparedEstimate
from stratawatch.demo.configuration import MARGINS
from stratawatch.demo.models import MAJORITY_VOTE
from stratawatch.demo.promises import PagedMetric, break_was_paged, false_pages
from stratawatch.demo.week_files import BUDGET
from stratawatch.demo.world import BREAK_WEEK, DEGRADED_CLASSIFIER, ITEMS, WEEKS
from stratawatch.report.costs import domain_labels

WORLDS: Final = 200
QUICK_WORLDS: Final = 16
_WRONG: Final = ("precision", "false_omission_rate")
"""Metrics by which wrong calls are counted: flags and misses."""
_SINCE: Final = range(BREAK_WEEK, WEEKS + 1)
"""Weeks up to which the harm since the break is told."""
_ROUNDING: Final = 1e-6

World = Sequence[JudgedEstimate]
Stream = tuple[str, str]


def run(options: Options) -> Result:
    """Run the worlds, a process a core, and hold what was told against the truth."""
    number = options.given.worlds or (QUICK_WORLDS if options.quick else WORLDS)
    seeds = [options.seed + world for world in range(number)]
    worlds = list(track(_run_all(seeds, options.given.workers), "worlds", number))
    everything = [judged for world in worlds for judged in world]
    overall = [judged for judged in everything if judged.compared.estimate.segment is None]
    regions = [judged for judged in everything if judged.compared.estimate.segment is not None]
    verdicts = [*_statistics(overall, regions), *_harm(worlds), *_alarms(worlds), *_health(overall), *_costs(worlds)]
    return Result(_rows(overall, regions), verdicts)


def _run_all(seeds: Sequence[int], workers: int) -> Iterable[World]:
    # Two worlds at a time are quicker than one that shares two cores among its trees.
    os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        yield from pool.map(run_world, seeds)


def _statistics(overall: Sequence[JudgedEstimate], regions: Sequence[JudgedEstimate]) -> list[Verdict]:
    weakest = min(_coverage(judged) for judged in _by_stream(overall).values())
    return [
        Verdict("coverage of all intervals", "must", _coverage(overall), 0.94, ">="),
        Verdict("coverage of all intervals in regions", "must", _coverage(regions), 0.94, ">="),
        Verdict("coverage of the weakest classifier and metric", "aim", weakest, 0.93, ">="),
    ]


def _harm(worlds: Sequence[World]) -> list[Verdict]:
    """What pages say in counts: the wrong calls of a week, and those beyond the usual since the break, by now."""
    weeks, beyond = list[bool](), list[bool]()
    for world in worlds:
        for mine in _by_stream(one for one in world if one.compared.estimate.segment is None).values():
            told = [_wrong_calls(one.compared) for one in mine if one.compared.estimate.metric in _WRONG]
            weeks += [_holds(calls.number, true) for calls, true in told]
            if len(told) == WEEKS:  # every one could be told
                beyond += [_is_told_beyond(told[: BREAK_WEEK - 1], told[BREAK_WEEK - 1 : end]) for end in _SINCE]
    return [
        Verdict("wrong calls of a week whose interval holds them", "must", _share(weeks), 0.93, ">="),
        Verdict("wrong calls beyond the usual whose interval holds them", "must", _share(beyond), 0.93, ">="),
    ]


def _wrong_calls(one: ComparedEstimate) -> tuple[WrongCalls, float]:
    """What is told of the wrong ones among a classifier's calls, and how many there are."""
    found = one.interval or IntervalEstimate(0.0, 0.0, 0.0, 0)
    if one.estimate.metric == "precision":
        wrong = IntervalEstimate(1 - found.value, 1 - found.high, 1 - found.low, found.n_eff)
        return WrongCalls(one.domain, wrong), one.domain * (1 - one.truth)
    return WrongCalls(one.domain, found), one.domain * one.truth


def _is_told_beyond(before: Sequence[tuple[WrongCalls, float]], since: Sequence[tuple[WrongCalls, float]]) -> bool:
    usual = before[-MOST_WINDOWS:]
    told = more_than_before([calls for calls, _ in since], [calls for calls, _ in usual])
    true = sum(number for _, number in since) - len(since) * _mean(number for _, number in usual)
    return _holds(told, true)


def _holds(told: ValueInterval, true: float) -> bool:
    return told.low - _ROUNDING <= true <= told.high + _ROUNDING


def _alarms(worlds: Sequence[World]) -> list[Verdict]:
    found = _share(break_was_paged(pages(world)) for world in worlds)
    healthy = _share(bool(false_pages(pages(world))) for world in worlds)
    early = _share(_paged(world, DEGRADED_CLASSIFIER, range(1, BREAK_WEEK)) for world in worlds)
    vote = _share(_paged(world, MAJORITY_VOTE, range(1, WEEKS + 1)) for world in worlds)
    return [
        Verdict("worlds that detect the break within two cycles", "must", found, 0.90, ">="),
        Verdict("worlds with a page on a healthy classifier", "must", healthy, 0.05, "<="),
        Verdict("worlds with a page on the degraded one too early", "aim", early, 0.05, "<="),
        Verdict("worlds with a page on the vote", "aim", vote, 0.05, "<="),
    ]


def _health(overall: Sequence[JudgedEstimate]) -> list[Verdict]:
    """How many of the limits are known to be held while nothing is broken: half of them in a month, then nearly all."""
    limited = [one for one in overall if one.state is not None]
    by_week = {week: [one for one in limited if one.compared.week == week] for week in range(1, BREAK_WEEK)}
    in_a_month = _share(one.state == AlarmState.OK for one in by_week[4])
    worlds = len(by_week[4]) / len({one.stream for one in limited})
    not_ok = [sum(one.state != AlarmState.OK for one in by_week[week]) / worlds for week in range(5, BREAK_WEEK)]
    return [
        Verdict("limits that are OK in week 4", "must", in_a_month, 0.5, ">="),
        Verdict("limits of a world that are not OK, from week 5 to the break", "aim", _mean(not_ok), 1, "<="),
    ]


def _costs(worlds: Sequence[World]) -> list[Verdict]:
    """Plain random sampling to the same half-widths, of everything that has a goal, in labels of ours.

    Of the calls one has a list to draw from; of the true positives, which recall is about, one has not, so a
    sample for recall is one of everything. One sample for all metrics must serve the hardest of them.
    """
    weeks = [_needs(world, week) for world in worlds for week in range(1, WEEKS + 1)]
    needs = [week for week in weeks if week]
    separate = _mean(sum(own for own, _ in week) for week in needs)
    shared = _mean(max(everywhere for _, everywhere in week) for week in needs)
    return [
        Verdict("random samples, one a metric: times the labels", "aim", separate / BUDGET, 1, ">="),
        Verdict("one random sample for all: times the labels", "aim", shared / BUDGET, 1, ">="),
    ]


def _needs(world: World, week: int) -> list[tuple[float, float]]:
    of_week = [judged.compared for judged in world if judged.compared.week == week]
    wanted = [one for one in of_week if one.estimate.segment is None and one.estimate.metric in MARGINS]
    return [need for one in wanted if (need := _need(one))]


def _need(one: ComparedEstimate) -> tuple[float, float] | None:
    if one.interval is None:
        return None
    listed = domain_labels(one.interval, one.domain, one.estimate.confidence)
    everywhere = listed * ITEMS / one.domain
    return (everywhere if one.estimate.metric == "recall" else listed), everywhere


def pages(world: World) -> list[PagedMetric]:
    """Every breach of a world in the week it began: nobody is paged again while it lasts."""
    breaches = [(judged.stream, judged.compared.week) for judged in world if judged.state == AlarmState.BREACH]
    return [PagedMetric(*stream, week) for stream, week in breaches if (stream, week - 1) not in breaches]


def _paged(world: World, classifier: str, weeks: Container[int]) -> bool:
    return any(page.classifier == classifier and page.week in weeks for page in pages(world))


def _coverage(judged: Sequence[JudgedEstimate]) -> float:
    return _share(one.compared.contains_truth for one in judged)


def _share(of: Iterable[bool]) -> float:
    return _mean(map(float, of))


def _by_stream(judged: Iterable[JudgedEstimate]) -> Mapping[Stream, list[JudgedEstimate]]:
    streams = defaultdict(list)
    for one in judged:
        streams[one.stream].append(one)
    return streams


def _rows(overall: Sequence[JudgedEstimate], regions: Sequence[JudgedEstimate]) -> list[dict[str, object]]:
    """One row a classifier and metric: how often its intervals held, how wide they were, how it was judged."""
    by_region = _by_stream(regions)
    by_metric = sorted(_by_stream(overall).items(), key=lambda stream: REPORTED.index(stream[0][1]))
    return [
        {
            "classifier": classifier,
            "metric": metric,
            "coverage": _coverage(judged),
            "error": sqrt(_coverage(judged) * (1 - _coverage(judged)) / len(judged)),
            "half_width": _half_width(judged),
            "labels": _mean(one.compared.estimate.labels_used for one in judged),
            "coverage_regions": _coverage(by_region[classifier, metric]),
            "half_width_regions": _half_width(by_region[classifier, metric]),
            "undefined": sum(one.compared.interval is None for one in judged),
        }
        | _states(judged)
        for (classifier, metric), judged in by_metric
    ]


def _states(judged: Sequence[JudgedEstimate]) -> dict[str, object]:
    """Weeks in each state; breaches before and after the break apart. A metric without a limit has none."""
    states = Counter(one.state for one in judged)
    if None in states:
        return {}
    early = sum(one.state == AlarmState.BREACH and one.compared.week < BREAK_WEEK for one in judged)
    counts: dict[str, object] = {state.value: states[state] for state in AlarmState if state != AlarmState.BREACH}
    return counts | {"BREACH early": early, "BREACH late": states[AlarmState.BREACH] - early}


def _half_width(judged: Sequence[JudgedEstimate]) -> float:
    return _mean(known.half_width for one in judged if (known := one.compared.interval))


def _mean(values: Iterable[float]) -> float:
    """Not a number where nothing is counted: such a verdict does not hold."""
    numbers = list(values)
    return sum(numbers) / len(numbers) if numbers else float("nan")


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--worlds", type=int, help=f"how many (default {WORLDS}, quick {QUICK_WORLDS})")
    parser.add_argument("--workers", type=int, default=min(2, os.cpu_count() or 1), help="processes")


if __name__ == "__main__":
    sys.exit(main("demo_worlds", run, extra=_options))
