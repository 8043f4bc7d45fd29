"""Part A, weekly worlds: what the product asks for, whether it holds what it was asked, and what others would need."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from itertools import product
from math import sqrt
from multiprocessing import get_context
from typing import Final

import numpy as np
from rich.progress import track

from benchmarks.labels.chain import COMMISSION, MARGINS, ChainWeek, Watch, watch
from benchmarks.labels.kinds import FOUR, HEAVY, TEN, TWENTY, Kind
from benchmarks.labels.standards import PUBLISHED, Standards, standards
from benchmarks.labels.worlds import WEEKS
from benchmarks.shape import DEFAULT_SEED, Options, Result, Verdict
from benchmarks.shape import Kind as VerdictKind

HARDER_SEED: Final = 9000
"""Worlds 9001 to 9004, of which three take more labels than the fixed ones."""
_MOST_LABELS: Final[Mapping[tuple[int, str, int], tuple[float, float | None]]] = {
    (DEFAULT_SEED, FOUR.name, 3): (1130, 1080),
    (DEFAULT_SEED, FOUR.name, 2): (1180, None),
    (HARDER_SEED, FOUR.name, 3): (1230, None),
    (DEFAULT_SEED, HEAVY.name, 3): (1900, None),
    (DEFAULT_SEED, TEN.name, 3): (1400, 1300),
    (DEFAULT_SEED, TWENTY.name, 3): (1450, 1350),
}
"""Labels a week at most, and aimed at, by seed, worlds and rounds."""
_MOST_OF_KNOWN: Final = 1.12
"""Of worlds of any other seed: how many times the labels that known variances would take."""
_MOST_PERSISTING: Final = (0.53, 0.48)
_LEAST_OF_A_WORLD: Final = 0.88
_KINDS: Final[tuple[VerdictKind, ...]] = ("must", "aim")
_CHAINS_A_TASK: Final = 5
_SURE: Final = 0.999
_SHOWN: Final = 8


@dataclass(frozen=True)
class Campaign:
    """One line of the comparison: how many worlds, chains and weeks of a kind."""

    kind: Kind
    worlds: int
    chains: int
    weeks: int = WEEKS
    persisting: float = 0.0

    @property
    def name(self) -> str:
        """The kind, and how much of it persists."""
        return f"{self.kind.name}, {self.persisting:.0%} persist" if self.persisting else self.kind.name

    def watches(self, seed: int, rounds: int) -> Iterator[Watch]:
        """The campaign as tasks for processes; a cycle asks in so many rounds at most."""
        survey = replace(COMMISSION, rounds=rounds)
        blocks = [range(self.chains)[start : start + _CHAINS_A_TASK] for start in range(0, self.chains, _CHAINS_A_TASK)]
        for world, chains in product(range(1, self.worlds + 1), blocks):
            yield Watch(self.kind, world, self.weeks, chains, seed, self.persisting, survey)


FULL: Final = (
    Campaign(FOUR, worlds=4, chains=25),
    Campaign(FOUR, worlds=4, chains=25, persisting=0.5),
    Campaign(HEAVY, worlds=2, chains=25),
    Campaign(TEN, worlds=4, chains=3),
    Campaign(TWENTY, worlds=4, chains=1),
)
QUICK: Final = (
    Campaign(FOUR, worlds=2, chains=1, weeks=13),
    Campaign(FOUR, worlds=1, chains=1, weeks=8, persisting=0.5),
    Campaign(HEAVY, worlds=1, chains=1, weeks=8),
    Campaign(TEN, worlds=1, chains=1, weeks=3),
    Campaign(TWENTY, worlds=1, chains=1, weeks=2),
)
NAMES: Final = tuple(one.name for one in FULL)


def run(options: Options) -> Result:
    """Simulate every campaign and hold it to its promises."""
    asked = options.given.worlds or NAMES
    campaigns = [one for one in (QUICK if options.quick else FULL) if one.name in asked]
    results = dict(zip(campaigns, _simulated(campaigns, options), strict=True))
    rows = [row for campaign in campaigns for row in _world_rows(campaign, results[campaign], options.seed)]
    rows += [_cold_row(campaign, results[campaign]) for campaign in campaigns]
    rows += [row for campaign in campaigns for row in weakest(list(goal_rows(campaign, results[campaign])))]
    return Result(rows, list(_verdicts(results, options.seed, options.given.rounds or COMMISSION.rounds)))


def _simulated(campaigns: Sequence[Campaign], options: Options) -> list[list[ChainWeek]]:
    os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"
    rounds = options.given.rounds or COMMISSION.rounds
    tasks = [(number, watch_) for number, one in enumerate(campaigns) for watch_ in one.watches(options.seed, rounds)]
    results: list[list[ChainWeek]] = [[] for _ in campaigns]
    with ProcessPoolExecutor(options.given.workers, mp_context=get_context("spawn")) as pool:
        found = pool.map(watch, [task for _, task in tasks])
        for (number, _), weeks in track(zip(tasks, found, strict=True), "weeks", len(tasks)):
            results[number] += weeks
    return results


def _world_rows(campaign: Campaign, results: Sequence[ChainWeek], seed: int) -> Iterator[Mapping[str, object]]:
    for world in range(1, campaign.worlds + 1):
        own = [one for one in results if one.world == world]
        beside = standards(campaign.kind, world, seed, campaign.weeks)
        yield {
            "worlds": campaign.name,
            "world": world,
            "weeks": len(own),
            "labels_new": labels(own),
            "later_weeks": labels(later(own)),
            "held": share(one.held for one in own),
            "coverage": coverage(own),
            "plain": beside.plain,
            "recycling": beside.recycling,
            "recycling_all": beside.recycling_all,
            "known": beside.known_variances,
            "floor": beside.floor,
        }


def _cold_row(campaign: Campaign, results: Sequence[ChainWeek]) -> Mapping[str, object]:
    first = [one for one in results if one.week == 1]
    return {
        "cold week of": campaign.name,
        "weeks": len(first),
        "labels_new": labels(first),
        "held": share(one.held for one in first),
        "coverage": coverage(first),
    }


def goal_rows(campaign: Campaign, results: Sequence[ChainWeek]) -> Iterator[Mapping[str, object]]:
    """One row a goal: how often its intervals held the truth, how wide they were for their margin, how wide they should
    have been (1.96 times the root mean square of the errors), and the bias in errors' deviations.
    """
    names = list(product(MARGINS, campaign.kind.classifiers))
    covered, widths, errors = (
        np.array([getattr(one, name) for one in results]) for name in ("covered", "widths", "errors")
    )
    for column, (metric, classifier) in enumerate(names):
        mean = float(covered[:, column].mean())
        yield {
            "worlds": campaign.name,
            "classifier": classifier,
            "metric": metric,
            "coverage": mean,
            "error": sqrt(mean * (1 - mean) / len(results)),
            "upper": upper_bound(int(covered[:, column].sum()), len(results)),
            "width/margin": float(widths[:, column].mean()),
            "needed/margin": 1.96 * float(np.sqrt(np.mean(errors[:, column] ** 2))),
            "bias/deviation": float(errors[:, column].mean() / max(errors[:, column].std(), 1e-12)),
        }


def weakest(rows: Sequence[Mapping[str, object]]) -> list[Mapping[str, object]]:
    """The eight goals that are covered least often: all of a small panel."""
    return sorted(rows, key=lambda row: float(str(row["coverage"])))[:_SHOWN]


def _verdicts(results: Mapping[Campaign, Sequence[ChainWeek]], seed: int, rounds: int) -> Iterator[Verdict]:
    for campaign, weeks in results.items():
        yield from _honesty(campaign, weeks)
        if not campaign.persisting and (most := _MOST_LABELS.get((seed, campaign.kind.name, rounds))):
            for kind, labels_a_week in zip(_KINDS, most, strict=True):
                if labels_a_week is not None:
                    yield Verdict(f"{campaign.name}: labels a week", kind, labels(weeks), labels_a_week, "<=")
        if campaign.persisting:
            alike = (own for other, own in results.items() if other.kind == campaign.kind and not other.persisting)
            if (fresh := next(alike, None)) is None:
                continue
            what = f"{campaign.name}: new labels, to those with nothing persisting"
            # Nothing can persist into the first week, which has its own row; with it the ratio is shown as well.
            for kind, most_of_fresh in zip(_KINDS, _MOST_PERSISTING, strict=True):
                yield Verdict(
                    f"{what}, later weeks", kind, labels(later(weeks)) / labels(later(fresh)), most_of_fresh, "<="
                )
            yield Verdict(f"{what}, cold week too", "aim", labels(weeks) / labels(fresh), 0.55, "<=")
        elif campaign.kind == FOUR:
            known = np.mean([_standard(campaign, world, seed).known_variances for world in _worlds(campaign)])
            yield from _savings(campaign, weeks, (0.15, 0.085), (0.75, 0.55))
            ratio = labels(weeks) / float(known)
            what = f"{campaign.name}: labels to those with known variances"
            if (seed, campaign.kind.name, rounds) not in _MOST_LABELS:
                yield Verdict(what, "must", ratio, _MOST_OF_KNOWN, "<=")
            yield Verdict(what, "aim", ratio, 1.08, "<=")
        elif campaign.kind == TEN:
            yield from _savings(campaign, weeks, None, (0.40, 0.25))
        elif campaign.kind == TWENTY:
            yield from _savings(campaign, weeks, None, (0.25, 0.15))


def _honesty(campaign: Campaign, weeks: Sequence[ChainWeek]) -> Iterator[Verdict]:
    """Held means within the margin and right: one without the other is worth nothing."""
    low = sum(row["upper"] < 0.925 for row in goal_rows(campaign, weeks))  # type: ignore[operator]
    yield Verdict(f"{campaign.name}: weeks with all goals held", "must", share(one.held for one in weeks), 0.90, ">=")
    rare = sum(_is_surely_held_too_rarely([one for one in weeks if one.world == world]) for world in _worlds(campaign))
    yield Verdict(f"{campaign.name}: worlds held below .88 for sure", "must", rare, 0, "<=")
    yield Verdict(f"{campaign.name}: coverage, mean of all goals", "must", coverage(weeks), 0.94, ">=")
    yield Verdict(f"{campaign.name}: goals covered below .925 for sure", "must", low, 0, "<=")


def _is_surely_held_too_rarely(weeks: Sequence[ChainWeek]) -> bool:
    return upper_bound(sum(one.held for one in weeks), len(weeks)) < _LEAST_OF_A_WORLD


def _savings(
    campaign: Campaign, weeks: Sequence[ChainWeek], plain: tuple[float, float] | None, recycling: tuple[float, float]
) -> Iterator[Verdict]:
    published_plain, published_recycling = PUBLISHED[campaign.kind.name]
    mean = labels(weeks)
    for place, kind in enumerate(_KINDS):
        if plain is not None:
            name = f"{campaign.name}: labels to plain sampling's {published_plain}"
            yield Verdict(name, kind, mean / published_plain, plain[place], "<=")
        name = f"{campaign.name}: labels to recycling's {published_recycling}"
        yield Verdict(name, kind, mean / published_recycling, recycling[place], "<=")


def _standard(campaign: Campaign, world: int, seed: int) -> Standards:
    return standards(campaign.kind, world, seed, campaign.weeks)


def _worlds(campaign: Campaign) -> range:
    return range(1, campaign.worlds + 1)


def labels(results: Sequence[ChainWeek]) -> float:
    """New labels a week, the cold first one counted."""
    return _mean(one.labels_new for one in results)


def later(results: Sequence[ChainWeek]) -> list[ChainWeek]:
    """All weeks but the cold first one."""
    return [one for one in results if one.week > 1]


def coverage(results: Sequence[ChainWeek]) -> float:
    """Share of the intervals that hold the truth, all goals together."""
    return share(covered for one in results for covered in one.covered)


def share(of: Iterable[bool]) -> float:
    """Part of the cases that are true."""
    return _mean(float(one) for one in of)


def upper_bound(successes: int, runs: int) -> float:
    """One-sided 99.9% upper bound of a share (Clopper and Pearson).

    >>> upper_bound(10, 10), round(upper_bound(0, 10), 3)
    (1.0, 0.499)
    """
    from scipy.stats import beta

    return float(beta.ppf(_SURE, successes + 1, runs - successes)) if successes < runs else 1.0


def _mean(values: Iterable[float]) -> float:
    """Not a number where nothing is counted: such a verdict does not hold."""
    numbers = list(values)
    return sum(numbers) / len(numbers) if numbers else float("nan")
