"""The allocation for many goals: how fast it is found, how near to the cheapest it is, and what whole numbers cost.

Five kinds of problems of 1,000 strata and 50 limits on precision and recall. Beside the solver stand Chromy's
multiplicative steps alone, on some of the problems, and the labels of Neyman's allocation for every goal by itself, the
largest taken in each stratum.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import Final

import numpy as np

from benchmarks.shape import Options, Result, Verdict, main
from stratawatch.core.cells import Flags
from stratawatch.core.planning.bethel import achieved_variances, integer_solution, limits_met, minimise_labels
from stratawatch.core.population import Floats
from stratawatch.core.tuning import SOLVER

STRATA: Final = 1000
CLASSIFIERS: Final = 25
REPEATS: Final = 60
QUICK_REPEATS: Final = 8
ALONE: Final = 5
"""Problems of each kind that Chromy's steps solve alone."""
ALONE_STEPS: Final = 5000


@dataclass(frozen=True)
class Problem:
    """Minimise costs.n subject to sum_h needs_jh (1/n_h - 1/sizes_h) <= limits_j, floors <= n <= sizes."""

    needs: Floats
    limits: Floats
    sizes: Floats
    floors: Floats
    costs: Floats


@dataclass(frozen=True)
class Run:
    """What one problem took and gave."""

    seconds: float
    whole_seconds: float
    gap: float
    extra: float
    binding: int
    saved: float


def run(options: Options) -> Result:
    """Solve fresh problems of every kind."""
    rng = np.random.default_rng(options.seed)
    repeats = QUICK_REPEATS if options.quick else REPEATS
    solve_one(panel(rng))  # the first call pays for loading linear algebra
    rows, runs = [], []
    for name, draw in KINDS.items():
        problems = [draw(rng) for _ in range(repeats)]
        found = [solve_one(problem) for problem in problems]
        alone = [_ratio_alone(problem) for problem in problems[:ALONE]]
        runs += found
        rows.append({"problems": name, "number": repeats, **_row(found), "Chromy alone / solver": median(alone)})
    return Result(rows, _verdicts(runs))


def solve_one(problem: Problem) -> Run:
    """Solve, round, and check that every limit is kept by both."""
    started = perf_counter()
    solution = minimise_labels(problem.needs, problem.limits, problem.sizes, problem.floors, problem.costs)
    solved = perf_counter()
    bounds = problem.floors.astype(np.int64), problem.sizes.astype(np.int64)
    labels = integer_solution(solution, problem.needs, problem.limits, problem.sizes, *bounds, problem.costs)
    ended = perf_counter()
    holds = [
        limits_met(problem.needs, problem.limits, problem.sizes, n).all() for n in (solution.n, labels.astype(float))
    ]
    cost = float(problem.costs @ solution.n)
    return Run(
        seconds=solved - started,
        whole_seconds=ended - solved,
        gap=solution.gap if all(holds) else float("inf"),
        extra=float(problem.costs @ labels) / cost - 1,
        binding=int((solution.multipliers > 1e-9 * solution.multipliers.max()).sum()),
        saved=1 - cost / float(problem.costs @ neyman_each(problem)),
    )


def neyman_each(problem: Problem) -> Floats:
    """Each goal's own cheapest allocation, the largest of them in every stratum."""
    alone = [
        minimise_labels(need[None, :], np.array([limit]), problem.sizes, problem.floors, problem.costs).n
        for need, limit in zip(problem.needs, problem.limits, strict=True)
    ]
    return np.asarray(np.max(alone, axis=0), dtype=np.float64)


def _ratio_alone(problem: Problem) -> float:
    """How many times as long Chromy's steps alone take to the same gap, or for 5,000 steps."""
    started = perf_counter()
    minimise_labels(problem.needs, problem.limits, problem.sizes, problem.floors, problem.costs)
    solver = perf_counter() - started
    started = perf_counter()
    chromy(problem)
    return (perf_counter() - started) / solver


def chromy(problem: Problem) -> Floats:
    """n = sqrt(prices.W/c), prices <- prices used^2, checked every tenth step."""
    weights = problem.needs / (problem.limits + problem.needs @ (1 / problem.sizes))[:, None]
    prices = np.sqrt(weights * problem.costs).sum(axis=1) ** 2 / len(weights)
    best = problem.sizes
    for step in range(ALONE_STEPS):
        n = np.clip(np.sqrt(prices @ weights / problem.costs), problem.floors, problem.sizes)
        used = weights @ (1 / n)
        if step % 10 == 0:
            point = np.clip(n * max(1.0, float(used.max())), problem.floors, problem.sizes)
            if float((weights @ (1 / point)).max()) <= 1 + 1e-12:
                best = min(best, point, key=lambda labels: float(problem.costs @ labels))
            bound = float(problem.costs @ n + prices @ (used - 1))
            if float(problem.costs @ best) - bound <= SOLVER.gap * float(problem.costs @ best):
                break
        prices = prices * used**2
    return best


def _row(runs: list[Run]) -> dict[str, object]:
    return {
        "median ms": 1000 * median(r.seconds for r in runs),
        "worst ms": 1000 * max(r.seconds for r in runs),
        "worst gap": max(r.gap for r in runs),
        "binding": median(r.binding for r in runs),
        "whole, median ms": 1000 * median(r.whole_seconds for r in runs),
        "whole, worst extra %": 100 * max(r.extra for r in runs),
        "labels saved %": 100 * median(r.saved for r in runs),
    }


def _verdicts(runs: list[Run]) -> list[Verdict]:
    return [
        Verdict("median ms", "must", 1000 * median(r.seconds for r in runs), 50, "<="),
        Verdict(
            "median ms with whole numbers", "aim", 1000 * median(r.seconds + r.whole_seconds for r in runs), 50, "<="
        ),
        Verdict("worst gap", "must", max(r.gap for r in runs), SOLVER.gap, "<="),
        Verdict("worst extra % of whole numbers", "must", 100 * max(r.extra for r in runs), 0.3, "<="),
    ]


def panel(rng: np.random.Generator) -> Problem:
    """Classifiers that call strata positive independently of one another."""
    return _about(rng, *_goals(rng, rng.random((CLASSIFIERS, STRATA)) < rng.uniform(0.05, 0.9, (CLASSIFIERS, 1))))


def nested(rng: np.random.Generator) -> Problem:
    """Cut-offs of one score: every row is almost its neighbour."""
    place = rng.permutation(STRATA) / STRATA
    return _about(rng, *_goals(rng, place < rng.uniform(0.05, 0.6, (CLASSIFIERS, 1)), place))


def binding(rng: np.random.Generator) -> Problem:
    """Limits that a priced allocation keeps exactly: all of them bind."""
    needs, sizes = _goals(rng, rng.random((CLASSIFIERS, STRATA)) < rng.uniform(0.05, 0.9, (CLASSIFIERS, 1)))
    n = np.sqrt((rng.uniform(0.05, 1, len(needs)) / np.sqrt(needs).sum(axis=1) ** 2) @ needs)
    n = np.clip(n * rng.uniform(0.02, 0.2) * sizes.sum() / n.sum(), np.minimum(2, sizes), sizes)
    return Problem(needs, achieved_variances(needs, sizes, n), sizes, np.minimum(2, sizes), np.ones(STRATA))


def near_census(rng: np.random.Generator) -> Problem:
    """Margins that nine items of ten about hold."""
    needs, sizes = _goals(rng, rng.random((CLASSIFIERS, STRATA)) < rng.uniform(0.05, 0.9, (CLASSIFIERS, 1)))
    limits = achieved_variances(needs, sizes, np.maximum(1, 0.9 * sizes)) * np.exp(rng.normal(0, 0.3, len(needs)))
    return Problem(needs, limits, sizes, np.minimum(2, sizes), np.ones(STRATA))


def priced(rng: np.random.Generator) -> Problem:
    """Labels that cost up to ten times as much in some strata as in others."""
    problem = panel(rng)
    return Problem(problem.needs, problem.limits, problem.sizes, problem.floors, 10 ** rng.uniform(0, 1, STRATA))


KINDS: Final[dict[str, Callable[[np.random.Generator], Problem]]] = {
    "a panel": panel,
    "nested cut-offs": nested,
    "all limits bind": binding,
    "near a census": near_census,
    "labels at several costs": priced,
}


def _goals(rng: np.random.Generator, called: Flags, place: Floats | None = None) -> tuple[Floats, Floats]:
    """A_jh = (N_h g_jh)^2 p_h (1 - p_h) of everyone's precision and recall, and N_h; p falls with the place."""
    sizes = np.asarray(np.round(np.exp(rng.normal(5, 1.5, STRATA))) + 2, dtype=np.float64)
    rates = np.exp(np.log(0.5) + np.log(0.002) * (rng.random(STRATA) if place is None else place))
    member = called.astype(float)
    precision = member / np.maximum(member @ sizes, 1)[:, None]
    positives = float(sizes @ rates)
    recall = (member - (member @ (sizes * rates))[:, None] / positives) / positives
    return (sizes * np.vstack([precision, recall])) ** 2 * rates * (1 - rates), sizes


def _about(rng: np.random.Generator, needs: Floats, sizes: Floats) -> Problem:
    """Limits that 1 to 10% of the items about keep."""
    n = np.maximum(1, sizes * rng.uniform(0.01, 0.1))
    limits = achieved_variances(needs, sizes, n) * np.exp(rng.normal(0, 0.2, len(needs)))
    return Problem(needs, limits, sizes, np.minimum(2, sizes), np.ones(STRATA))


if __name__ == "__main__":
    sys.exit(main("solver", run))
