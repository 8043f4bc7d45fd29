"""The design beside others: whole cycles with the same budget, four classifiers on 200,000 items, 9% positive.

The classifiers see the log odds of the truth with noise of their own; calls, cut-offs and census are what a panel would
have. Half-widths and coverage are means over the classifiers. Nothing is known before: no history.
"""

from dataclasses import dataclass, replace
from functools import cache
from typing import Final

import numpy as np

from benchmarks.papers.tripathi.labelling import runs
from benchmarks.shape import Options, Result, Verdict
from stratawatch.core.designs.frozen import FrozenDesign, pool_sizes, stratify_for_survey
from stratawatch.core.estimate import Estimate, IntervalEstimate
from stratawatch.core.goals import SurveySpec
from stratawatch.core.plan import Plan
from stratawatch.core.population import Atom, Candidates, Census, Counts, Floats
from stratawatch.core.score_bins import bins_of
from stratawatch.core.verdicts import VerdictsByItem

FULL, QUICK = 300, 4
BESIDE: Final = 3
"""One cycle in so many is run with the designs beside it, which take longer."""
N: Final = 200_000
CUT_OFFS: Final = (0.3, 0.4, 0.5, 0.35)
BUDGETS: Final = (500, 2000)
METRICS: Final = ("precision", "recall", "false_omission_rate")
DESIGNS: Final = {
    "tripathi": SurveySpec(design="tripathi"),
    "tripathi, uniform_sample": SurveySpec(design="tripathi", options={"mixing": "uniform_sample"}),
    "joint": SurveySpec(),
    "srs": SurveySpec(design="srs"),
}


@dataclass(frozen=True)
class Items:
    """A population in memory: the census row and the truth of every item, and the metrics by classifier."""

    census: Census
    rows: Counts
    yes: Counts
    truth: Floats


def run(options: Options) -> Result:
    """Half-width and coverage by budget, design and metric."""
    cycles, rows, lowest = runs(options, FULL, QUICK), [], 1.0
    for budget in BUDGETS:
        for name in DESIGNS:
            found = simulate(options.seed, name, budget, cycles if name.startswith("tripathi") else cycles // BESIDE)
            for place, metric in enumerate(METRICS):
                held = float(np.nanmean(found[:, place, :, 0]))
                rows.append(
                    {
                        "budget": budget,
                        "design": name,
                        "cycles": metric,
                        "coverage": held,
                        "half-width": float(np.nanmean(found[:, place, :, 1])),
                    }
                )
                lowest = min(lowest, held) if name.startswith("tripathi") else lowest
    error = 4 * (0.05 * 0.95 / cycles) ** 0.5
    return Result(rows, [Verdict("cycles: lowest coverage of the design", "must", lowest, 0.95 - error, ">=")])


@cache
def simulate(seed: int, name: str, budget: int, cycles: int) -> Floats:
    """(covered, half-width) by cycle, metric and classifier; NaN where nothing is known."""
    rng, frozen = np.random.default_rng([seed, 8, budget]), _frozen(seed, name, budget)
    found = np.full((cycles, len(METRICS), len(CUT_OFFS), 2), np.nan)
    for cycle in range(cycles):
        for one in frozen.judged(f"{seed}.{cycle}", rng):
            place = METRICS.index(one.metric), frozen.items.census.classifiers.index(one.classifier)
            if isinstance(known := one.result, IntervalEstimate):
                found[cycle, *place] = known.low <= frozen.items.truth[place] <= known.high, known.half_width
    return found


@cache
def population(seed: int) -> Items:
    """The items."""
    rng = np.random.default_rng([seed, 9])
    odds = 2 * rng.normal(size=N) - 3.5
    yes = rng.random(N) < 1 / (1 + np.exp(-odds))
    scores = 1 / (1 + np.exp(-odds[:, None] - 0.8 * rng.normal(size=(N, len(CUT_OFFS)))))
    calls = scores >= np.array(CUT_OFFS)
    keys = np.column_stack([calls, bins_of(scores.mean(axis=1))]).astype(np.int64)
    cells, rows, counts = np.unique(keys, axis=0, return_inverse=True, return_counts=True)
    names = tuple("".join(map(str, cell)) for cell in cells[:, :-1].tolist())
    census = Census(tuple("abcd"), names, cells[:, -1], counts.astype(np.int64))
    tp, passed = calls[yes].sum(axis=0), N - calls.sum(axis=0)
    truth = np.stack([tp / calls.sum(axis=0), tp / yes.sum(), (yes.sum() - tp) / passed])
    return Items(census, rows.ravel().astype(np.int64), yes.astype(np.int64), truth)


@dataclass(frozen=True)
class Frozen:
    """What all cycles of a design and a budget share: strata, their items, and how many of them a pool holds."""

    items: Items
    survey: SurveySpec
    atoms: tuple[Atom, ...]
    homes: Counts
    strata: tuple[Counts, ...]
    pools: tuple[int, ...]

    def judged(self, seed: str, rng: np.random.Generator) -> tuple[Estimate, ...]:
        """The estimates of a cycle that people answered to the end."""
        pools = zip(self.strata, self.pools, strict=True)
        kept = np.concatenate([rng.choice(members, size, replace=False) for members, size in pools])
        digests = tuple(f"{place:032x}" for place in range(len(kept)))
        candidates = Candidates(tuple(map(str, kept.tolist())), self.homes[kept], digests)
        wanted = replace(self.survey, seed=seed)
        design = FrozenDesign(self.items.census.classifiers, self.atoms, candidates, wanted)
        ledger, drawn, plans = VerdictsByItem({}), np.zeros(0, dtype=np.int64), list[Plan]()
        for ordinal in range(1, design.sampling_design.max_rounds(wanted) + 1):
            plans.append(design.plan(wanted, ledger, list(map(str, drawn.tolist())), ordinal=ordinal, earlier=plans))
            drawn = kept[list(design.draw(plans[-1]))]
            ledger = VerdictsByItem({str(item): "yes" if self.items.yes[item] else "no" for item in drawn.tolist()})
        return design.estimate(ledger, ledger.verdicts.keys(), metrics=METRICS)


@cache
def _frozen(seed: int, name: str, budget: int) -> Frozen:
    items, wanted = population(seed), replace(DESIGNS[name], budget=budget)
    atoms = stratify_for_survey(items.census, wanted)
    spans = {
        (atom.pattern, place): i for i, atom in enumerate(atoms) for place in range(atom.first_bin, atom.last_bin + 1)
    }
    of_row = [spans[key] for key in zip(items.census.patterns, items.census.bins.tolist(), strict=True)]
    homes = np.array(of_row)[items.rows]
    strata = np.array([atom.stratum for atom in atoms])[homes]
    members = np.split(np.argsort(strata, kind="stable"), np.cumsum(np.bincount(strata))[:-1])
    return Frozen(items, wanted, atoms, homes, tuple(members), pool_sizes(atoms, items.census.classifiers, wanted))
