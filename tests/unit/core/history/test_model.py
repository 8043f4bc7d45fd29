from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from stratawatch.core.cells import Cells
from stratawatch.core.history.model import has_enough_labels, past_label_counts, prior_rate, prior_rate_at
from stratawatch.core.history.past_labels import NO_HISTORY
from stratawatch.core.history.working_model import logistic, logit, null_model, ridge_logistic
from stratawatch.core.tuning import HISTORY
from tests.support.hypothesis_examples import examples
from tests.support.past_labels import LADDER, curve, exact, past, together

MADE = Cells.of(
    ("a",), ["1" if score >= 0.5 else "0" for score in LADDER], np.full(len(LADDER), 100.0), LADDER.astype(float)
)


def alike(count, yes, *, ages=1, pattern="1", score=0.7):
    """So many labels of one cell; `yes` of them are yes."""
    return past(ages, [pattern] * count, score, [i < yes for i in range(count)])


class TestUsable:
    def test_two_hundred_labels_are_enough(self):
        assert has_enough_labels(alike(200, 50))
        assert not has_enough_labels(alike(HISTORY.min_labels - 1, 50))
        assert not has_enough_labels(NO_HISTORY)

    def test_only_labels_of_the_last_thirty_periods_count(self):
        assert has_enough_labels(alike(HISTORY.min_labels, 50, ages=30))
        assert not has_enough_labels(together([alike(HISTORY.min_labels - 1, 50, ages=30), alike(500, 50, ages=31)]))


class TestForetold:
    def test_nothing_below_two_hundred_labels(self):
        assert prior_rate(MADE, alike(HISTORY.min_labels - 1, 50)) is None
        assert prior_rate(MADE, NO_HISTORY) is None
        assert prior_rate(MADE, alike(HISTORY.min_labels, 50)) is not None

    @pytest.mark.parametrize(("intercept", "slope"), [(0.0, 1.0), (-1.5, 0.7), (0.5, 1.6), (0.0, -0.8)])
    def test_the_curve_that_labels_follow_is_found_again(self, intercept, slope):
        """Scores at their word, tempered, sharpened, and the wrong way round."""
        truth = curve(intercept, slope)
        assert prior_rate(MADE, exact(truth)).tolist() == pytest.approx(truth(LADDER).tolist(), abs=0.015)

    def test_labels_older_than_thirty_periods_change_nothing(self):
        young, old = exact(curve()), exact(curve(2.0, -1.0), age=31)
        assert prior_rate(MADE, together([young, old])).tolist() == prior_rate(MADE, young).tolist()

    def test_prevalence_follows_the_last_periods(self):
        """New labels of ages 1-5 weigh .7 + ... + .7^5 = 1.94, those of ages 6-10 .33: 86% is new."""
        old, new = curve(-0.5), curve(-1.7)
        history = together([exact(new, age, 50) for age in range(1, 6)] + [exact(old, age, 50) for age in range(6, 11)])
        told = prior_rate(MADE, history)
        wanted = 0.86 * new(LADDER).mean() + 0.14 * old(LADDER).mean()
        assert told.mean() == pytest.approx(wanted, abs=0.01)

    def test_what_scores_mean_is_learnt_from_all_periods(self):
        """Only the intercept follows the last period: one of labels at a single score leaves the slopes alone."""
        old = [exact(curve(-0.5), age, 100) for age in range(2, 12)]
        steady = logit(prior_rate(MADE, together(old)))
        moved = logit(prior_rate(MADE, together([*old, exact(curve(-1.5), 1, 100)])))
        change = moved - steady
        assert -1.0 < change.min() <= change.max() < -0.15
        assert np.ptp(change) < 0.25

    def test_letters_tell_where_scores_do_not(self):
        """Half of the items at each score are called positive; 8 of 10 of those are, and 1 of 10 of the others."""
        history = together([alike(300, 240, pattern="1", score=0.5), alike(300, 30, pattern="0", score=0.5)])
        cells = Cells.of(("a",), ["1", "0"], np.array([10.0, 10.0]), np.array([0.5, 0.5]))
        assert prior_rate(cells, history).tolist() == pytest.approx([0.8, 0.1], abs=0.02)

    def test_the_letter_of_an_auxiliary_score_guides(self):
        history = together([alike(300, 240, pattern="01", score=0.5), alike(300, 30, pattern="00", score=0.5)])
        cells = Cells.of(("a",), ["01", "00", "0-"], np.full(3, 10.0), np.full(3, 0.5))
        leaning, against, silent = prior_rate(cells, history).tolist()
        assert (leaning, against) == pytest.approx((0.8, 0.1), abs=0.02)
        assert against + 0.1 < silent < leaning - 0.1

    def test_an_item_without_a_score_is_told_by_its_letters(self):
        history = together([alike(200, 150, pattern="1", score=np.nan), alike(200, 10, pattern="0", score=np.nan)])
        cells = Cells.of(("a",), ["1", "0"], np.array([10.0, 10.0]), np.array([np.nan, np.nan]))
        assert prior_rate(cells, history).tolist() == pytest.approx([0.75, 0.05], abs=0.03)

    def test_the_order_of_labels_does_not_matter(self):
        history = exact(curve(), each=30)
        order = np.random.default_rng(1).permutation(len(history))
        turned = past(
            history.ages[order],
            [history.patterns[i] for i in order.tolist()],
            history.scores[order],
            history.positive[order],
        )
        assert prior_rate(MADE, turned).tolist() == pytest.approx(prior_rate(MADE, history).tolist())


class TestForetoldAt:
    def test_reads_the_model_of_one_history_at_the_rows_of_another(self):
        rows = past(1, MADE.patterns, LADDER, False)
        assert prior_rate_at(rows, exact(curve())).tolist() == prior_rate(MADE, exact(curve())).tolist()


class TestHardLabels:
    """Data on which a logistic fit without a penalty or a step control never ends."""

    @pytest.mark.parametrize("said", [False, True])
    def test_labels_that_all_agree(self, said):
        told = prior_rate(MADE, exact(lambda scores: np.full(len(scores), float(said)), each=50))
        assert bool(np.all((told > 0) & (told < 1)))
        assert np.abs(told - said).max() < 0.02

    def test_scores_that_part_yes_from_no(self):
        told = prior_rate(MADE, exact(lambda scores: (scores > 0.2).astype(float), each=50))
        assert bool(np.all(told[LADDER < 0.1] < 0.05))
        assert bool(np.all(told[LADDER > 0.4] > 0.95))

    def test_letters_that_say_the_same(self):
        """Three classifiers that always agree share what one of them would say."""
        single = exact(curve(), each=50)
        triple = past(1, [3 * letter for letter in single.patterns], single.scores, single.positive)
        cells = Cells.of(("a", "b", "c"), [3 * letter for letter in MADE.patterns], MADE.sizes, MADE.scores)
        assert prior_rate(cells, triple).tolist() == pytest.approx(prior_rate(MADE, single).tolist(), abs=0.01)

    def test_one_score_and_one_letter(self):
        """Nothing to tell labels apart by: the share of yes, at that score and at others."""
        cells = Cells.of(("a",), ["1"] * 3, np.full(3, 5.0), np.array([0.69, 0.7, 0.95]))
        assert prior_rate(cells, alike(400, 100)).tolist() == pytest.approx([0.25] * 3, abs=0.01)

    def test_a_hump_in_the_middle_of_low_scores(self):
        """Full Newton steps ran away here: the square wants to bend down and the hinge up."""
        hump = (LADDER > 0.02) & (LADDER < 0.2)
        told = prior_rate(MADE, exact(lambda scores: np.where((scores > 0.02) & (scores < 0.2), 0.9, 0.0), each=300))
        assert told[hump].min() > 0.3
        assert told[~hump].max() < told[hump].max()
        assert told.mean() == pytest.approx(0.9 * hump.mean(), abs=0.01)

    @pytest.mark.parametrize(
        ("scale", "at", "each"),
        [(1.0, slice(3, 6), 1), (5.0, slice(3, 6), 1), (25.0, slice(3, 6), 1), (1.0, [2, 11], 0)],
    )
    def test_the_maximum_is_found_however_far_it_is(self, scale, at, each):
        """Against a general optimiser, where Newton's first steps are ever longer, and where bent ones go to and fro."""
        x = np.linspace(-3, 3, 13)
        columns = np.column_stack([np.ones_like(x), scale * x, scale * (x * x - 1), scale * np.maximum(x, 0)])
        n, yes, ridge = np.full(13, 400.0), np.full(13, float(each)), np.array([1e-3, 0.5, 0.5, 0.5])
        yes[at] = 380
        centre = null_model(columns, yes, n)[1]

        def depth(beta):
            linear = columns @ beta
            return float(n @ np.logaddexp(0, linear) - yes @ linear + ridge @ (beta - centre) ** 2 / 2)

        best = minimize(depth, centre, method="BFGS", options={"maxiter": 2000, "gtol": 1e-4})
        assert depth(ridge_logistic(columns, yes, n, ridge=ridge, centre=centre)) <= best.fun + 0.01

    @settings(deadline=None, max_examples=examples(40))
    @given(st.lists(st.tuples(st.integers(0, 60), st.floats(0, 1)), min_size=4, max_size=12), st.integers(1, 30))
    def test_whatever_was_said_the_shares_balance(self, said, age):
        """The last step fits an intercept: in sum, foretold yes are the yes there were, at scores that rows are pooled at."""
        steps = logistic(np.round(logit(LADDER) * 8) / 8)
        rows = [(score, i < round(n * p)) for (n, p), score in zip(said, steps, strict=False) for i in range(n)]
        if len(rows) < HISTORY.min_labels:
            return
        scores, yes = (np.array(column) for column in zip(*rows, strict=True))
        history = past(age, ["1" if score >= 0.5 else "0" for score in scores], scores, yes)
        told = prior_rate_at(history, history)
        assert bool(np.all((told > 0) & (told < 1)))
        assert told.sum() == pytest.approx(yes.sum(), abs=0.5)


class TestPastAnswers:
    cells = Cells.of(
        ("a",), ["0", "0", "1", "1"], np.full(4, 50.0), np.array([0.1, 0.3, 0.6, 0.9]), strata=np.array([0, 1, 1, 2])
    )

    def test_labels_go_to_the_nearest_cell_of_their_pattern_and_to_its_stratum(self):
        """Between .1 and .3 the border is .2; a 0 of score .9 still belongs to the 0s."""
        rows = past(1, ["0", "0", "0", "1", "1"], [0.19, 0.21, 0.9, 0.1, 0.99], [True, False, True, True, True])
        yes, answered = past_label_counts(self.cells, rows)
        assert answered.tolist() == pytest.approx([0.95, 0.95 * 3, 0.95])
        assert yes.tolist() == pytest.approx([0.95, 0.95 * 2, 0.95])

    def test_each_period_back_takes_off_a_twentieth(self):
        _, answered = past_label_counts(self.cells, past([1, 2, 30], ["0", "0", "1"], [0.1, 0.1, 0.9], True))
        assert answered.tolist() == pytest.approx([0.95 + 0.95**2, 0, 0.95**30])

    def test_items_that_can_be_drawn_again_are_left_out(self):
        """Their answers would decide how often they are drawn themselves."""
        rows = past(1, ["0", "0"], [0.1, 0.1], [True, False], drawable=[True, False])
        yes, answered = past_label_counts(self.cells, rows)
        assert answered.tolist() == pytest.approx([0.95, 0, 0])
        assert yes.tolist() == [0, 0, 0]

    def test_labels_beyond_thirty_periods_and_of_other_patterns_do_not_count(self):
        yes, answered = past_label_counts(self.cells, past([31, 1], ["0", "-"], [0.1, 0.1], True))
        assert answered.tolist() == yes.tolist() == [0, 0, 0]

    def test_a_few_labels_are_enough(self):
        """Unlike the model they need no two hundred."""
        assert past_label_counts(self.cells, past(1, ["0"], [0.1], True))[1].sum() == pytest.approx(0.95)

    def test_an_empty_history_has_no_answers(self):
        yes, answered = past_label_counts(self.cells, NO_HISTORY)
        assert yes.tolist() == answered.tolist() == [0, 0, 0]

    def test_a_label_without_a_score_is_at_home_among_the_called_positives_in_the_middle(self):
        _, answered = past_label_counts(self.cells, past(1, ["1"], [np.nan], True))
        assert answered.tolist() == pytest.approx([0, 0.95, 0])


def test_rows_are_pooled_at_steps_of_an_eighth_of_the_logit():
    """Scores that differ by less than half a step say the same."""
    base = exact(curve(), each=40)
    nudged = past(1, base.patterns, logistic(np.round(logit(base.scores) * 8) / 8 + 0.05), base.positive)
    assert prior_rate(MADE, nudged).tolist() == prior_rate(MADE, base).tolist()


def test_an_auxiliary_score_calls_nothing_positive():
    """Without a score, .5 stands in for called positives only: what a judge leans to is no call."""
    told = past(1, ["01", "10"] * 200, [np.nan] * 400, [False, True] * 200)
    asked = past(1, ["01"], [np.nan], [False])
    alone, both = (prior_rate_at(replace(asked, classifiers=n), replace(told, classifiers=n)) for n in (1, 2))
    assert alone[0] != both[0]
