"""Whether forecasts agree with one another: more labels never look worse, one goal alone needs no more than all."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, product

import numpy as np

from benchmarks.coverage.persistence import SIZE
from benchmarks.coverage.population import Population
from benchmarks.forecasts.periods import Place, TwoPeriods
from stratawatch.core.cells import Cells
from stratawatch.core.designs.budget_forecasts import BudgetForecasts, BudgetPoint
from stratawatch.core.designs.joint import JointDesign
from stratawatch.core.goals import Goal, SurveySpec
from stratawatch.core.history.past_labels import NO_HISTORY, History
from stratawatch.core.metrics import REPORTED

OWN = 900
BUDGETS = (100, 200, 300, 500, 800, OWN, 1000, 2000, 3000, 5000)
MARGINS = {"precision": 0.04, "recall": 0.08}
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Coherence:
    """Steps from one budget to the next that look worse somewhere, and goals that need more alone than with others.

    `by_own_plans` are steps that would look worse if every budget had the plan of a cycle with it.
    """

    steps: int
    worse: int
    by_own_plans: int
    goals: int
    need_more: int


def coherence(place: Place, seed: int, share: float | None = None) -> Coherence:
    """Of a population without a history, or with that of a cycle of which this `share` of the items persists."""
    family, history = place.family, NO_HISTORY
    if share is None:
        items = family.items(np.random.default_rng(place.born), family.size)
        population = Population.of(items, family.classifiers, family.auxiliary)
    else:
        rng = np.random.default_rng([*place.born, seed, 9])
        periods = TwoPeriods.of(place, OWN, share, rng)
        population, history = periods.second.population, periods.history(rng.random(SIZE))[1]
    goals = [Goal(metric, margin, (who,)) for (metric, margin), who in product(MARGINS.items(), family.classifiers)]
    survey = SurveySpec(tuple(goals), budget=OWN)
    forecasts = BudgetForecasts(population.census, survey, history)
    curve = forecasts.curve(BUDGETS, OWN, REPORTED)
    needs = forecasts.needs(goals, curve, OWN)
    return Coherence(
        steps=len(curve) - 1,
        worse=_worse(curve),
        by_own_plans=_worse([_own(population, survey, history, labels) for labels in BUDGETS]),
        goals=len(goals),
        need_more=sum(alone > needs.together for alone in needs.alone),
    )


def _own(population: Population, survey: SurveySpec, history: History, labels: int) -> BudgetPoint:
    design, classifiers = JointDesign(), population.census.classifiers
    spent = SurveySpec(survey.goals, budget=labels)
    cells = Cells.of_atoms(classifiers, design.stratify(population.census, spent, history))
    plan = design.plan_all_rounds(cells, spent, history, REPORTED)
    return BudgetPoint(labels, plan.half_widths, plan.ranges)


def _worse(curve: Sequence[BudgetPoint]) -> int:
    return sum(any(_is_wider(fewer, more, key) for key in fewer.half_widths) for fewer, more in pairwise(curve))


def _is_wider(fewer: BudgetPoint, more: BudgetPoint, key: tuple[str, str]) -> bool:
    """Whether a half-width, or an end of its range, is wider with more labels, or cannot be told any more."""
    if key not in more.half_widths:
        return True
    pairs = [
        (fewer.half_widths[key], more.half_widths[key]),
        (fewer.ranges[key].low, more.ranges[key].low),
        (fewer.ranges[key].high, more.ranges[key].high),
    ]
    return any(after > before * (1 + _ROUNDING) for before, after in pairs)
