from collections import Counter
from copy import copy
from dataclasses import replace

import numpy as np
import pytest

from stratawatch.core.designs.frozen import FrozenDesign, pool_sizes
from stratawatch.core.goals import Goal, SurveySpec
from stratawatch.core.metrics import METRICS
from stratawatch.core.planning.round_planner import RoundPlanner
from stratawatch.core.population import Atom
from stratawatch.core.verdicts import VerdictsByItem
from stratawatch.errors import StratawatchError
from tests.support.labelled_population import two_classifiers
from tests.support.past_labels import curve, drawn


@pytest.fixture(scope="module")
def population():
    return two_classifiers()


def first(population, budget=300, ledger=None, **more):
    return population.design.plan(SurveySpec(budget=budget), ledger or VerdictsByItem({}), (), ordinal=1, **more)


def cheap(population, share=3):
    """What the ledger knows of every third candidate before anything is drawn."""
    return population.ledger(population.design.candidates.items[::share])


class TestPools:
    def test_hold_three_times_the_planned_labels_and_at_least_thirty(self, population):
        planner = RoundPlanner(population.design.cells, population.survey)
        wanted = np.maximum(30, 3 * planner.max_totals())
        assert pool_sizes(population.atoms, ("a", "b"), population.survey) == tuple(
            np.minimum(np.minimum(wanted, planner.context.drawable), 300).tolist()
        )

    def test_are_all_items_when_the_budget_is_larger(self, population):
        assert sum(pool_sizes(population.atoms, ("a", "b"), SurveySpec(budget=10_000))) == 6000

    def test_count_by_stratum(self):
        """Two atoms of one stratum share a pool."""
        atoms = (Atom("0", 0, 9, 12, 0.01), Atom("0", 10, 19, 5, 0.02), Atom("1", 600, 700, 10_000, 0.7, stratum=1))
        assert pool_sizes(atoms, ("a",), SurveySpec(budget=20)) == (17, 20)

    def test_items_that_nobody_judged_get_no_pool(self):
        atoms = (Atom("-", -1, -1, 500, None), Atom("1", 600, 700, 500, 0.7, stratum=1))
        assert pool_sizes(atoms, ("a",), SurveySpec(budget=40))[0] == 0

    def test_a_helpers_letter_makes_no_pool(self):
        atoms = (Atom("-1", 9, 9, 500, 0.3), Atom("10", 600, 700, 500, 0.7, stratum=1))
        assert pool_sizes(atoms, ("a",), SurveySpec(budget=40)) == (0, 40)

    def test_without_a_budget_they_hold_three_times_what_the_goals_need(self, population):
        survey = SurveySpec((Goal("precision", 0.05),), stop_at_goals=True)
        history = drawn(curve(0, 1), np.random.default_rng(1), each=2000)
        planner = RoundPlanner(population.design.cells, survey, history)
        wanted = np.minimum(np.maximum(30, 3 * planner.max_totals()), planner.context.drawable)
        assert pool_sizes(population.atoms, ("a", "b"), survey, history) == tuple(wanted.tolist())
        assert pool_sizes(population.atoms, ("a", "b"), survey) != tuple(wanted.tolist())


class TestPlan:
    def test_spends_two_fifths_and_says_what_they_buy(self, population):
        plan = first(population)
        assert plan.labels == 120
        assert len(plan.totals) == population.design.cells.stratum_count
        assert set(plan.half_widths) == {(c, m) for c in "ab" for m in METRICS}
        assert plan.method == "sum_of_squares, from scores"
        assert plan.exhausted == ()

    def test_more_labels_buy_narrower_intervals(self, population):
        few, many = (first(population, budget).half_widths for budget in (250, 750))
        assert all(many[key] < few[key] for key in few)

    def test_expects_about_the_half_widths_that_come(self, population):
        ledger, drawn = population.labelled()
        plan = population.design.plan(population.survey, ledger, drawn, ordinal=2)
        assert plan.labels == 300
        for estimate in population.design.estimate(ledger, drawn):
            expected = plan.half_widths[estimate.classifier, estimate.metric]
            assert estimate.result.half_width == pytest.approx(expected, rel=0.35)

    def test_the_second_round_never_falls_below_what_is_drawn(self, population):
        one = first(population)
        drawn = population.drawn(one)
        two = population.design.plan(population.survey, population.ledger(drawn), drawn, ordinal=2)
        assert all(after >= before for before, after in zip(one.totals, two.totals, strict=True))
        assert two.labels == 300

    def test_with_history_a_second_plan_adds_nothing(self, population):
        history = drawn(curve(0, 1), np.random.default_rng(1))
        one = first(population, history=history)
        items = population.drawn(one)
        two = population.design.plan(population.survey, population.ledger(items), items, ordinal=2, history=history)
        assert one.labels == 300
        assert two.totals == one.totals

    @pytest.mark.parametrize(("margin", "adds"), [(0.45, False), (0.02, True)])
    def test_until_goals_the_intervals_so_far_decide(self, population, margin, adds):
        survey = SurveySpec((Goal("precision", margin), Goal("recall", margin)), stop_at_goals=True)
        one = population.design.plan(survey, VerdictsByItem({}), (), ordinal=1)
        drawn = population.drawn(one)
        two = population.design.plan(survey, population.ledger(drawn), drawn, ordinal=2)
        assert (two.labels > one.labels) is adds

    def test_names_strata_whose_pool_is_exhausted_and_spends_their_labels_elsewhere(self, population):
        pool = population.design.candidates
        homes = population.design.cells.strata[pool.atoms]
        kept = np.flatnonzero((homes != 0) | (np.arange(len(pool)) == np.flatnonzero(homes == 0)[0])).tolist()
        plan = first(replace_design(population, kept))
        assert plan.exhausted == (0,)
        assert plan.totals[0] == 1
        assert plan.labels == 120

    def test_inclusion_is_drawn_over_items_of_the_stratum(self, population):
        plan = first(population)
        sizes = Counter()
        for atom in population.atoms:
            sizes[atom.stratum] += atom.size
        assert population.design.inclusion(plan) == tuple(n / sizes[h] for h, n in enumerate(plan.totals))


class TestKnownItems:
    def test_are_drawn_for_nothing(self, population):
        known = cheap(population)
        plan = first(population, ledger=known)
        assert len(population.drawn(plan) - known.verdicts.keys()) == 120
        assert plan.labels > 150

    def test_of_the_first_round_do_not_count_in_the_second(self, population):
        known = cheap(population)
        one = population.drawn(first(population, ledger=known))
        reused = one & known.verdicts.keys()
        ledger = VerdictsByItem({**known.verdicts, **population.ledger(one).verdicts})
        two = population.drawn(population.design.plan(population.survey, ledger, one, ordinal=2, reused=reused))
        assert one <= two
        assert 295 <= len(two - known.verdicts.keys()) <= 300

    def test_an_item_that_was_drawn_and_not_answered_was_asked_about(self, population):
        one = population.drawn(first(population))
        two = population.design.plan(population.survey, VerdictsByItem({}), one, ordinal=2)
        assert two.labels == 300

    def test_do_not_make_a_round_of_their_own(self, population):
        """What is known is read when it is drawn, never because it is known: the draw stays the smallest digests."""
        plan = first(population, ledger=cheap(population))
        assert smallest_digests(population, plan) == {
            population.design.candidates.digests[i] for i in population.design.draw(plan)
        }

    def test_goals_ask_fewer_people_where_strata_are_known(self, population):
        """Every candidate of the odd strata is known: labels are cheap there."""
        survey = SurveySpec((Goal("precision", 0.08), Goal("recall", 0.12)), stop_at_goals=True)
        history = drawn(curve(0, 1), np.random.default_rng(1), each=1000)
        pool = population.design.candidates
        odd = population.design.cells.strata[pool.atoms] % 2 == 1
        known = population.ledger([pool.items[row] for row in np.flatnonzero(odd)])
        blind, told = (
            population.drawn(population.design.plan(survey, ledger, (), ordinal=1, history=history))
            for ledger in (VerdictsByItem({}), known)
        )
        assert len(told - known.verdicts.keys()) < len(blind - known.verdicts.keys())


def smallest_digests(population, plan):
    """The digests of the first totals[h] candidates of every stratum."""
    pool = population.design.candidates
    homes = population.design.cells.strata[pool.atoms]
    wanted = set()
    for stratum, total in enumerate(plan.totals):
        wanted.update(sorted(pool.digests[i] for i in np.flatnonzero(homes == stratum))[:total])
    return wanted


def replace_design(population, rows):
    """The same population with these rows of its pool, in this order."""
    pool, other = population.design.candidates, copy(population)
    other.design = FrozenDesign(
        ("a", "b"),
        population.atoms,
        replace(
            pool,
            items=tuple(pool.items[i] for i in rows),
            atoms=pool.atoms[rows],
            digests=tuple(pool.digests[i] for i in rows),
            segments={"region": tuple(pool.segments["region"][i] for i in rows)},
        ),
    )
    return other


class TestDraw:
    def test_takes_the_smallest_digests_of_every_stratum(self, population):
        plan = first(population)
        drawn = population.design.draw(plan)
        assert {population.design.candidates.digests[i] for i in drawn} == smallest_digests(population, plan)
        homes = population.design.cells.strata[population.design.candidates.atoms[list(drawn)]]
        assert np.bincount(homes, minlength=len(plan.totals)).tolist() == list(plan.totals)

    def test_a_larger_plan_only_adds_items(self, population):
        small, large = first(population), first(population, 305)
        grown = replace(small, totals=tuple(max(a, b) for a, b in zip(small.totals, large.totals, strict=True)))
        assert set(population.design.draw(small)) < set(population.design.draw(grown))

    def test_does_not_depend_on_the_order_of_the_pool(self, population):
        plan = first(population)
        backwards = replace_design(population, list(reversed(range(len(population.design.candidates)))))
        pool, other = population.design.candidates, backwards.design.candidates
        assert [other.items[i] for i in backwards.design.draw(plan)] == [
            pool.items[i] for i in population.design.draw(plan)
        ]

    def test_a_plan_beyond_the_pool_is_refused(self, population):
        plan = first(population)
        with pytest.raises(StratawatchError, match="pool of stratum 0 is exhausted; expected at least 99999"):
            population.design.draw(replace(plan, totals=(99999, *plan.totals[1:])))
