"""Cycles by counts are the cycles of the product: the same items through `FrozenDesign` give the same plans and intervals."""

import numpy as np
import pytest

from benchmarks.coverage.cycles import Frozen, both_sides, homes
from benchmarks.coverage.draws import pools
from benchmarks.coverage.panels import Member, Panel
from benchmarks.coverage.population import Population
from benchmarks.coverage.simulation import said, said_with_history
from stratawatch.core.designs.frozen import FrozenDesign
from stratawatch.core.drawn_items import DrawnItems
from stratawatch.core.estimate import Undefined
from stratawatch.core.estimation.difference_estimator import DifferenceEstimator
from stratawatch.core.estimation.followed_variance import FollowedVariance
from stratawatch.core.goals import Goal, SurveySpec
from stratawatch.core.population import Candidates
from stratawatch.core.verdicts import VerdictsByItem
from tests.support.past_labels import curve, drawn

FAMILY = Panel("p", 0.08, (Member(3, 0.7), Member(2.6, 0.9, unjudged=0.1)), size=4000)
GOALS = SurveySpec((Goal("precision", 0.06), Goal("recall", 0.08)), stop_at_goals=True)


@pytest.fixture(scope="module")
def population():
    return Population.of(FAMILY.items(np.random.default_rng(2), FAMILY.size), FAMILY.classifiers)


@pytest.fixture(scope="module")
def frozen(population):
    return Frozen.of(population, SurveySpec(budget=120))


def as_items(frozen, drawn):
    """The places of one run's pools as candidates with a digest each, and what people would say."""
    names = [f"{stratum:02d}-{place:04d}" for stratum, place in zip(drawn.strata, drawn.places, strict=True)]
    candidates = Candidates(tuple(names), drawn.kinds[0] // 2, tuple(names))
    return candidates, {name: "yes" if kind % 2 else "no" for name, kind in zip(names, drawn.kinds[0], strict=True)}


class TestFrozen:
    def test_every_item_and_positive_is_in_an_atom(self, population, frozen):
        assert sum(atom.size for atom in frozen.atoms) == FAMILY.size
        assert frozen.yes.sum() == population.yes.sum()

    def test_rows_are_at_home_in_the_atom_that_spans_them(self, population, frozen):
        census = population.census
        for row, home in enumerate(homes(frozen.atoms, census.patterns, census.bins)):
            atom = frozen.atoms[home]
            assert atom.pattern == census.patterns[row]
            assert atom.first_bin <= census.bins[row] <= atom.last_bin


class TestCycles:
    def test_a_budget_is_spent(self, frozen):
        cycles = list(frozen.cycles(np.random.default_rng(1), 5))
        assert [labels.labelled.sum() for labels in cycles] == [120] * 5
        assert [labels.drawn.sum() for labels in cycles] == [120] * 5

    def test_runs_differ(self, frozen):
        first, second = frozen.cycles(np.random.default_rng(1), 2)
        assert (first.positive != second.positive).any()

    @pytest.mark.parametrize("survey", [SurveySpec(budget=120), GOALS], ids=["budget", "goals"])
    def test_the_same_items_through_design_give_the_same_plans_and_intervals(self, population, survey):
        frozen = Frozen.of(population, survey)
        sizes = frozen.cells.sizes.astype(int)
        drawn = pools(np.random.default_rng(7), frozen.cells.strata, sizes, frozen.yes, frozen.pools.tolist(), 1)
        (labels,) = frozen.cycles(np.random.default_rng(7), 1)
        found = said([both_sides(frozen.cells, labels)])

        candidates, answers = as_items(frozen, drawn)
        design = FrozenDesign(FAMILY.classifiers, frozen.atoms, candidates, survey)
        told, rounds = {}, {}
        for ordinal in range(1, design.sampling_design.max_rounds(survey) + 1):
            asked = DrawnItems(rounds)
            plan = design.plan(survey, VerdictsByItem(told), asked, ordinal=ordinal)
            names = [candidates.items[row] for row in design.draw(plan)]
            told, rounds = {name: answers[name] for name in names}, dict.fromkeys(names, ordinal - 1) | rounds
        assert plan.totals == tuple(labels.drawn.tolist())
        for estimate in design.estimate(VerdictsByItem(told), DrawnItems(rounds), metrics=list(found)):
            ours = found[estimate.metric][FAMILY.classifiers.index(estimate.classifier)]
            assert not isinstance(estimate.result, Undefined)
            assert (ours.low[0], ours.high[0]) == pytest.approx((estimate.result.low, estimate.result.high))

    def test_with_a_history_too(self, population):
        survey, history = SurveySpec(budget=300), drawn(curve(-1.5, 1.5), np.random.default_rng(3), each=800)
        frozen = Frozen.of(population, survey, history)
        sizes = frozen.cells.sizes.astype(int)
        items = pools(np.random.default_rng(7), frozen.cells.strata, sizes, frozen.yes, frozen.pools.tolist(), 1)
        (labels,) = frozen.cycles(np.random.default_rng(7), 1)
        found = said_with_history([FollowedVariance.of(DifferenceEstimator.of(frozen.cells, labels.everywhere))])

        candidates, answers = as_items(frozen, items)
        design = FrozenDesign(FAMILY.classifiers, frozen.atoms, candidates, survey)
        plan = design.plan(survey, VerdictsByItem({}), (), ordinal=1, history=history)
        asked = [candidates.items[row] for row in design.draw(plan)]
        estimates = design.estimate(VerdictsByItem({one: answers[one] for one in asked}), asked, metrics=list(found))
        assert any("history" in one.method for one in estimates)
        for estimate in estimates:
            ours = found[estimate.metric][FAMILY.classifiers.index(estimate.classifier)]
            assert (ours.low[0], ours.high[0]) == pytest.approx((estimate.result.low, estimate.result.high))
