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
from benchmarks.shape import Options, Result, Verdict

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
    return Result(rows, list(_verdicts(results, options.seed)))


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


def _verdicts(results: Mapping[Campaign, Sequence[ChainWeek]], seed: int) -> Iterator[Verdict]:
    for campaign, weeks in results.items():
        yield from _honesty(campaign, weeks)
        if campaign.persisting:
            alike = (own for other, own in results.items() if other.kind == campaign.kind and not other.persisting)
            if (fresh := next(alike, None)) is None:
                continue
            what = f"{campaign.name}: new labels, to those with nothing persisting"
            # Nothing can persist into the first week, which has its own row; with it the ratio is shown as well.
            yield Verdict(f"{what}, later weeks", "must", labels(later(weeks)) / labels(later(fresh)), 0.55, "<=")
            yield Verdict(f"{what}, cold week too", "aim", labels(weeks) / labels(fresh), 0.55, "<=")
        elif campaign.kind == FOUR:
            known = np.mean([_standard(campaign, world, seed).known_variances for world in _worlds(campaign)])
            yield from _savings(campaign, weeks, (0.15, 0.085), (0.75, 0.55))
            ratio = labels(weeks) / float(known)
            yield Verdict(f"{campaign.name}: labels to those with known variances", "aim", ratio, 1.08, "<=")
        elif campaign.kind == TEN:
            yield from _savings(campaign, weeks, None, (0.40, 0.25))
        elif campaign.kind == TWENTY:
            yield from _savings(campaign, weeks, None, (0.25, 0.15))


def _honesty(campaign: Campaign, weeks: Sequence[ChainWeek]) -> Iterator[Verdict]:
    """Held means within the margin and right: one without the other is worth nothing."""
    low = sum(row["upper"] < 0.925 for row in goal_rows(campaign, weeks))  # type: ignore[operator]
    held = 0.60 if campaign.kind == HEAVY else 0.90
    yield Verdict(f"{campaign.name}: weeks with all goals held", "must", share(one.held for one in weeks), held, ">=")
    yield Verdict(f"{campaign.name}: coverage, mean of all goals", "must", coverage(weeks), 0.94, ">=")
    yield Verdict(f"{campaign.name}: goals covered below .925 for sure", "must", low, 0, "<=")


def _savings(
    campaign: Campaign, weeks: Sequence[ChainWeek], plain: tuple[float, float] | None, recycling: tuple[float, float]
) -> Iterator[Verdict]:
    published_plain, published_recycling = PUBLISHED[campaign.kind.name]
    mean = labels(weeks)
    for kind, place in (("must", 0), ("aim", 1)):
        if plain is not None:
            name = f"{campaign.name}: labels to plain sampling's {published_plain}"
            yield Verdict(name, kind, mean / published_plain, plain[place], "<=")  # type: ignore[arg-type]
        name = f"{campaign.name}: labels to recycling's {published_recycling}"
        yield Verdict(name, kind, mean / published_recycling, recycling[place], "<=")  # type: ignore[arg-type]


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
