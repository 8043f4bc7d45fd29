from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stratawatch.core.cells import Cells
from stratawatch.core.goals import Goal
from stratawatch.core.history.model import prior_rate
from stratawatch.core.history.past_labels import NO_HISTORY
from stratawatch.core.planning.expected_rates import (
    ExpectedRates,
    model_rates,
    prior_rates,
    shrunk_prior_rates,
    updated_rates,
)
from stratawatch.core.planning.goal_variances import DEFAULT_GOALS, goal_gradients, variance_coefficients
from stratawatch.errors import StratawatchError
from tests.support.hypothesis_examples import examples
from tests.support.past_labels import curve, drawn, past, together

SCORES = np.array([0.01, 0.2, 0.02, 0.999])
PATTERNS = ["00", "00", "01", "11"]
SIZES = np.array([9000.0, 1000, 100, 100])
MADE = Cells.of(("a", "b"), PATTERNS, SIZES, SCORES)
PAIRED = replace(MADE, strata=np.array([0, 0, 1, 1]))
NOTHING = np.zeros(4)


class TestFirstRates:
    def test_called_positive_by_anyone_are_held_off_certainty_by_a_tenth_of_their_mistakes(self):
        """Mean share of no (.98 + .001)/2 = .4905: .999 counts as 1 - .001 - .04905, .02 as .05, the least."""
        high = 1 - 0.001 - 0.04905
        assert prior_rates(MADE).variance[2:].tolist() == pytest.approx([0.05 * 0.95, high * (1 - high)])

    def test_a_tenth_of_the_negatives_mean_is_added_to_the_others(self):
        """Mean of the negatives (9000 x .01 + 1000 x .2)/10000 = .029: .0129 and .2029."""
        wanted = [0.0129 * 0.9871, 0.2029 * 0.7971]
        assert prior_rates(MADE).variance[:2].tolist() == pytest.approx(wanted)

    def test_plain_rates_are_the_scores(self):
        assert prior_rates(MADE).rate.tolist() == SCORES.tolist()

    def test_plain_rates_are_what_history_foretells_where_there_is_enough_of_it(self):
        history = drawn(curve(), np.random.default_rng(1))
        assert prior_rates(MADE, history).rate.tolist() == prior_rate(MADE, history).tolist()
        few = drawn(curve(), np.random.default_rng(1), each=100)
        assert prior_rates(MADE, few).rate.tolist() == SCORES.tolist()

    def test_what_was_foretold_when_the_design_was_frozen_stands(self):
        """Later labels make another model; the design keeps the one it was made with."""
        frozen = replace(MADE, prior_rate=np.array([0.1, 0.2, 0.3, 0.4]))
        assert prior_rates(frozen, drawn(curve(), np.random.default_rng(1))).rate.tolist() == [0.1, 0.2, 0.3, 0.4]

    def test_items_that_nobody_judged_do_not_count_among_the_negatives(self):
        with_unjudged = Cells.of(("a", "b"), [*PATTERNS, "--"], np.r_[SIZES, 1e6], np.r_[SCORES, 0.9])
        assert prior_rates(with_unjudged).variance[:4].tolist() == pytest.approx(prior_rates(MADE).variance.tolist())


class TestModelRates:
    history = drawn(curve(), np.random.default_rng(1))

    def test_take_the_model_at_its_word(self):
        rates, told = model_rates(MADE, self.history), prior_rate(MADE, self.history)
        assert rates.rate.tolist() == told.tolist()
        assert rates.variance.tolist() == pytest.approx((told * (1 - told)).tolist())

    def test_certainty_still_has_a_variance(self):
        sure = replace(MADE, prior_rate=np.array([0.0, 1.0, 0.0, 1.0]))
        assert model_rates(sure, self.history).variance.tolist() == [1e-6] * 4


class TestRobustRates:
    """Two strata of foretold .1 and .4; labels of age 1, each of which counts .95."""

    cells = replace(
        Cells.of(("a",), ["0", "1"], np.array([1000.0, 500]), np.array([0.1, 0.6])), prior_rate=np.array([0.1, 0.4])
    )

    def test_without_labels_a_positive_half_is_put_on_top(self):
        """(20 x .1 + (1 - .2)/2)/20 = .12 and (20 x .4 + (1 - .8)/2)/20 = .405."""
        rates = shrunk_prior_rates(self.cells, NO_HISTORY)
        assert rates.rate.tolist() == pytest.approx([0.12, 0.405])
        assert rates.variance.tolist() == pytest.approx([0.12 * 0.88, 0.405 * 0.595])

    def test_the_stratums_own_labels_correct_the_model(self):
        """30 labels with 15 yes, discounted by .95: (2 + 14.25 + .4)/(20 + 28.5) = .3433; the other stratum stays."""
        history = past(1, ["0"] * 30, 0.1, [i < 15 for i in range(30)])
        assert shrunk_prior_rates(self.cells, history).rate.tolist() == pytest.approx([16.65 / 48.5, 0.405])

    def test_labels_that_can_come_again_are_not_read(self):
        history = past(1, ["0"] * 30, 0.1, [i < 15 for i in range(30)], drawable=True)
        assert shrunk_prior_rates(self.cells, history).rate.tolist() == pytest.approx([0.12, 0.405])

    def test_cells_of_a_stratum_keep_their_proportions(self):
        """One stratum of mean (1000 x .1 + 500 x .4)/1500 = .2: (4 + .3)/20 = .215, so both grow by 1.075."""
        one = replace(self.cells, strata=np.array([0, 0]))
        assert shrunk_prior_rates(one, NO_HISTORY).rate.tolist() == pytest.approx([0.1075, 0.43])

    def test_no_share_exceeds_one_and_certainty_has_a_variance(self):
        sure = replace(self.cells, prior_rate=np.array([0.0, 1.0]), strata=np.array([0, 0]))
        rates = shrunk_prior_rates(sure, past(1, ["1"] * 99, 0.6, True))
        assert rates.rate.max() <= 1
        assert bool(np.all(rates.variance > 0))

    def test_insurance_costs_labels_where_positives_are_rare(self):
        """A foretold 1 in 1000 counts as (.02 + .499)/20 = 2.6%."""
        rare = replace(self.cells, prior_rate=np.array([0.001, 0.4]))
        assert shrunk_prior_rates(rare, NO_HISTORY).rate[0] == pytest.approx(0.02595)


class TestSecondRates:
    def test_without_answers_they_are_the_first(self):
        found, first = updated_rates(MADE, NOTHING, NOTHING), prior_rates(MADE)
        assert found.rate.tolist() == first.rate.tolist()
        assert found.variance.tolist() == first.variance.tolist()

    def test_labels_move_the_rates_of_their_stratum(self):
        answered = np.array([50.0, 50, 50, 50])
        few = updated_rates(MADE, np.array([0.0, 2, 5, 45]), answered)
        many = updated_rates(MADE, np.array([0.0, 2, 25, 45]), answered)
        assert many.rate[2] > few.rate[2] + 0.1
        assert many.variance[2] > few.variance[2]

    def test_a_stratum_of_all_no_is_not_called_empty(self):
        rates = updated_rates(MADE, np.array([0.0, 0, 0, 20]), np.full(4, 20.0))
        assert bool(np.all(rates.rate > 0))
        assert bool(np.all(rates.variance > 0))

    def test_scores_that_lie_are_corrected(self):
        """Scores say .01 and .999, labels say half: the rates go to the labels, but for what is added to be safe."""
        rates = updated_rates(MADE, np.full(4, 50.0), np.full(4, 100.0))
        assert rates.rate.tolist() == pytest.approx([0.5] * 4, abs=0.06)

    def test_pseudo_labels_hold_two_positives(self):
        """Two strata that look alike, 10 and 0 yes among 20: they differ by (2 + 10)/(2 + 0)."""
        flat = Cells.of(("a",), ["1", "1"], np.array([500.0, 500]), np.array([0.5, 0.5]))
        rates = updated_rates(flat, np.array([10.0, 0]), np.full(2, 20.0))
        assert rates.rate[0] / rates.rate[1] == pytest.approx(6)

    def test_cells_of_a_stratum_move_together(self):
        """The factor p~/p is the stratum's, whichever of its cells the labels came from."""
        answered = np.array([30.0, 30, 30, 30])
        one, other = (updated_rates(PAIRED, np.array(yes), answered) for yes in ([0.0, 3, 9, 20], [0.0, 3, 9, 21]))
        factors = one.rate[:2] / other.rate[:2]
        assert factors[0] == pytest.approx(factors[1], rel=0.2)

    @settings(deadline=None, max_examples=examples(50))
    @given(st.lists(st.tuples(st.integers(0, 300), st.floats(0, 1)), min_size=4, max_size=4))
    def test_whatever_people_said_rates_are_shares_and_labels_vary(self, said):
        answered = np.array([float(n) for n, _ in said])
        yes = np.array([float(round(n * p)) for n, p in said])
        rates = updated_rates(PAIRED, yes, answered)
        assert bool(np.all((rates.rate >= 0) & (rates.rate <= 1)))
        assert bool(np.all((rates.variance > 0) & np.isfinite(rates.variance)))


class TestGoalRows:
    def test_a_row_for_every_classifier_that_a_goal_is_for(self):
        goals = [Goal("precision", 0.05, classifiers=("b",)), Goal("recall", 0.1)]
        rows = goal_gradients(MADE, goals, prior_rates(MADE))
        assert rows.names == (("b", "precision"), ("a", "recall"), ("b", "recall"))
        assert rows.margins.tolist() == [0.05, 0.1, 0.1]
        assert rows.gradients.shape == (3, 4)
        assert rows.metrics == ("precision", "recall")

    def test_precision_gains_by_items_called_positive_alike(self):
        """Items with b = 1 are 200: the gradient is 1/200 there and 0 elsewhere."""
        rows = goal_gradients(MADE, [Goal("precision", 0.05, classifiers=("b",))], prior_rates(MADE))
        assert rows.gradients[0].tolist() == pytest.approx([0, 0, 1 / 200, 1 / 200])

    def test_recall_weighs_found_against_missed(self):
        """a finds 99.9 of P = 90 + 200 + 2 + 99.9 = 391.9: r = .2549; (1 - r)/P where found, -r/P elsewhere."""
        rows = goal_gradients(MADE, [Goal("recall", 0.05, classifiers=("a",))], prior_rates(MADE))
        r = 99.9 / 391.9
        assert rows.gradients[0].tolist() == pytest.approx([-r / 391.9] * 3 + [(1 - r) / 391.9])

    def test_no_goals_mean_the_default_ones_for_everyone(self):
        usual = goal_gradients(MADE, DEFAULT_GOALS, prior_rates(MADE))
        rows = goal_gradients(MADE, [], prior_rates(MADE))
        assert rows.names == usual.names
        assert set(rows.metrics) == {"precision", "recall"}
        assert rows.gradients.tolist() == usual.gradients.tolist()

    def test_a_helper_is_no_classifier(self):
        made = Cells.of(("a",), ["01", "10", "--"], np.full(3, 100.0), np.full(3, 0.4))
        assert goal_gradients(made, [], prior_rates(made)).names == (("a", "precision"), ("a", "recall"))
        with pytest.raises(StratawatchError, match="unknown classifier 'judge'; expected one of a"):
            goal_gradients(made, [Goal("recall", 0.1, classifiers=("judge",))], prior_rates(made))

    def test_an_unknown_classifier_is_named(self):
        with pytest.raises(StratawatchError, match="unknown classifier 'c'; expected one of a, b"):
            goal_gradients(MADE, [Goal("recall", 0.1, classifiers=("c",))], prior_rates(MADE))

    @pytest.mark.parametrize("margin", [0.0, -0.1, float("nan")])
    def test_a_margin_that_is_no_width_is_refused(self, margin):
        with pytest.raises(StratawatchError, match=r"margin of recall is .*; expected a number above 0"):
            goal_gradients(MADE, [Goal("recall", margin)], prior_rates(MADE))

    def test_an_unknown_metric_is_named(self):
        with pytest.raises(StratawatchError, match="no metric 'speed'"):
            goal_gradients(MADE, [Goal("speed", 0.1)], prior_rates(MADE))


class TestNeeds:
    def test_hand_arithmetic(self):
        """Precision of b, strata of 10000 and 200 items, spread .1: 200 x (100 + 100) x (1/200)^2 x .1 = .1."""
        rates = ExpectedRates(SCORES, np.full(4, 0.1))
        rows = goal_gradients(PAIRED, [Goal("precision", 0.05, classifiers=("b",))], rates)
        assert variance_coefficients(PAIRED, rows, rates)[0].tolist() == pytest.approx([0, 0.1])

    @settings(deadline=None)
    @given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(1, 12))
    def test_are_the_variance_of_an_expanded_sum_of_residuals(self, seed, strata, cells):
        """sum_h A_jh (1/n_h - 1/N_h) = sum_h N_h^2 (1 - f_h)/n_h x mean over the stratum's items of g^2 s^2."""
        rng = np.random.default_rng(seed)
        homes = np.r_[np.arange(strata), rng.integers(0, strata, cells)]
        patterns = ["".join(rng.choice(["0", "1"], 2)) for _ in homes]
        sizes = rng.integers(2, 500, len(homes)).astype(float)
        made = Cells.of(("a", "b"), patterns, sizes, rng.uniform(0.05, 0.95, len(homes)), strata=homes)
        rates = ExpectedRates(rng.uniform(0.05, 0.95, len(homes)), rng.uniform(0.01, 0.25, len(homes)))
        rows = goal_gradients(made, [], rates)
        found = variance_coefficients(made, rows, rates)
        n = np.maximum(1, np.floor(made.stratum_sizes / 3))
        for row, gradient in zip(found, rows.gradients, strict=True):
            expected = 0.0
            for h in range(strata):
                items = np.repeat(gradient[homes == h] ** 2 * rates.variance[homes == h], sizes[homes == h].astype(int))
                expected += len(items) ** 2 * (1 - n[h] / len(items)) / n[h] * items.mean()
            assert float(row @ (1 / n - 1 / made.stratum_sizes)) == pytest.approx(expected)


def test_robust_plans_reckon_with_more_variance_than_the_model_among_rare_positives():
    history = together([drawn(curve(-3), np.random.default_rng(1), ages=(1, 2))])
    quiet = MADE.positive.any(axis=1) == 0
    model, robust = model_rates(MADE, history), shrunk_prior_rates(MADE, history)
    assert bool(np.all((robust.variance >= 0.9 * model.variance)[quiet]))
