"""Plans where labels are known already: budgets count what people are asked about, and goals take what is there."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stratawatch.core.goals import SurveySpec
from stratawatch.core.history.past_labels import NO_HISTORY
from stratawatch.core.planning.labels_so_far import UnlabelledCandidates
from stratawatch.core.planning.round_planner import RoundPlanner
from tests.support.hypothesis_examples import examples
from tests.support.planned_cells import MADE, PAST, SERVED, WHOLE, goals, known_at_first, new_labels, so_far, until


class TestKnownLabels:
    def test_make_the_draw_larger(self):
        """Ten known in each of 16 strata: a history's one draw takes them beside 300 new ones."""
        known = np.minimum(10, WHOLE)
        planner = RoundPlanner(MADE, SurveySpec(budget=300), PAST)
        plan = planner.plan(so_far(1, costs=known_at_first(known)), WHOLE)
        assert new_labels(known_at_first(known), plan.totals) == 300
        assert plan.labels > 400

    def test_a_population_that_is_known_whole_is_drawn_for_nothing(self):
        plan = RoundPlanner(MADE, SurveySpec(budget=50), PAST).plan(so_far(1, costs=known_at_first(WHOLE)), WHOLE)
        assert plan.labels == SERVED

    def test_where_labels_are_known_goals_take_more_of_them(self):
        """Half of the strata are known: a label costs a twentieth of a new one there, and fewer new ones do."""
        known = np.where(np.arange(MADE.stratum_count) % 2, WHOLE, 0)
        planner = RoundPlanner(MADE, until(0.05), PAST)
        blind = planner.totals(so_far(1), WHOLE)
        told = planner.totals(so_far(1, costs=known_at_first(known)), WHOLE)
        assert bool(np.all((told >= blind)[known > 0]))
        assert new_labels(known_at_first(known), told) < new_labels(known_at_first(known), blind)
        assert told.sum() > blind.sum()

    def test_a_top_up_asks_where_labels_are_known(self):
        """Three of four items beyond the first draw are known in half of the strata."""
        planner = RoundPlanner(MADE, until(0.02), PAST)
        drawn = np.minimum(20, WHOLE)
        strata = np.repeat(np.arange(MADE.stratum_count), WHOLE)
        place = np.concatenate([np.arange(size) for size in WHOLE]) - drawn[strata]
        costs = UnlabelledCandidates(0, strata, (place >= 0) & ((strata % 2 == 0) | (place % 4 == 0)))
        blind = planner.totals(so_far(2, drawn), WHOLE)
        told = planner.totals(so_far(2, drawn, costs=costs), WHOLE)
        assert new_labels(costs, told) < new_labels(costs, blind)
        assert told[1::2].sum() > blind[1::2].sum()

    @pytest.mark.parametrize("budget", [10, 39])
    def test_what_is_too_little_for_two_rounds_buys_new_labels_in_one(self, budget):
        """A pilot would count what is known, and nothing would follow it."""
        costs = known_at_first(np.minimum(30, WHOLE))
        planner = RoundPlanner(MADE, SurveySpec(goals(0.001), budget, stop_at_goals=True))
        assert new_labels(costs, planner.totals(so_far(1, costs=costs), WHOLE)) == budget

    @settings(deadline=None, max_examples=examples(25))
    @given(st.integers(10, 2000), st.integers(0, 2**32 - 1), st.booleans(), st.booleans())
    def test_new_labels_never_exceed_the_budget_and_hardly_miss_it(self, budget, seed, remembered, stop_at_goals):
        """Strata give and take when labels are added, so that a few may be left over."""
        rng = np.random.default_rng(seed)
        known = np.minimum(rng.integers(0, 60, MADE.stratum_count), WHOLE)
        known[-1] = 0
        history = PAST if remembered else NO_HISTORY
        planner = RoundPlanner(
            MADE, SurveySpec(goals(0.001 if stop_at_goals else 0.05), budget, stop_at_goals), history
        )
        costs = known_at_first(known)
        one = planner.totals(so_far(1, costs=costs), WHOLE)
        assert new_labels(costs, one) <= budget
        two = planner.totals(so_far(2, one, costs=costs), WHOLE)
        assert bool(np.all(two >= one))
        assert 0.97 * budget - 3 <= new_labels(costs, two) <= budget

    def test_reused_items_of_the_first_round_do_not_count_in_the_second(self):
        """Some 800 drawn, of which 40 were new: 60 more may be asked about."""
        survey = SurveySpec(budget=100)
        known = np.minimum(80, WHOLE)
        planner = RoundPlanner(MADE, survey)
        one = planner.totals(so_far(1, costs=known_at_first(known)), WHOLE)
        two = planner.totals(so_far(2, one, costs=known_at_first(known)), WHOLE)
        assert new_labels(known_at_first(known), one) == 40
        assert one.sum() > 700
        assert 97 <= new_labels(known_at_first(known), two) <= 100
