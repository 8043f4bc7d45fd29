"""The state of every goal's variance ratio: what periods say of it, and how it follows them."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from stratawatch.core.history.model_trust import with_variance_ratios
from stratawatch.core.history.past_labels import NO_HISTORY, GoalRatios
from stratawatch.core.history.variance_priors import goal_ratios_of, updated, variance_priors
from tests.support.past_labels import curve, drawn, past


def ratios(*values, noise=0.09):
    """A history without labels whose periods had these ratios for both metrics of one classifier, the oldest first."""
    periods = {len(values) - i: np.array([value]) for i, value in enumerate(values)}
    made = {
        age: GoalRatios(dict.fromkeys(("precision", "recall"), seen), dict.fromkeys(("precision", "recall"), told))
        for age, seen in periods.items()
        for told in [np.where(np.isfinite(seen), noise, np.nan)]
    }
    return replace(NO_HISTORY, goal_ratios=made)


class TestState:
    def test_begins_at_one_give_or_take_a_third(self):
        one, two = variance_priors(NO_HISTORY, ["a"])
        assert (one.classifier, one.metric, one.ratio, two.metric) == ("a", "precision", 1.0, "recall")
        assert one.variance == pytest.approx(0.3**2 + 0.03**2)

    def test_follows_what_periods_say_and_gets_surer(self):
        found = [variance_priors(ratios(*[1.3] * periods), ["a"])[0] for periods in range(8)]
        assert all(before.ratio < after.ratio < 1.3 for before, after in pairwise(found))
        assert all(before.variance > after.variance for before, after in pairwise(found))
        assert found[-1].ratio > 1.2

    def test_what_was_said_long_ago_counts_for_less(self):
        """Twenty periods at 1, then twenty at 1.4: nearer to the last ones than to their mean."""
        assert variance_priors(ratios(*[1.0] * 20, *[1.4] * 20), ["a"])[0].ratio > 1.3

    def test_a_period_that_says_nothing_leaves_it_where_it_was_and_less_sure(self):
        told, silent = (variance_priors(ratios(1.4, *rest), ["a"])[0] for rest in ((), (np.nan,)))
        assert silent.ratio == told.ratio
        assert silent.variance == pytest.approx(told.variance + 0.03**2)

    def test_an_outlier_counts_as_two_and_a_half_deviations(self):
        one, two = (
            updated(np.array([1.0]), np.array([0.04]), np.array([seen]), np.array([0.12])) for seen in (2.0, 50.0)
        )
        assert one.ratio == two.ratio == pytest.approx(1 + 0.25 * 2.5 * 0.4)


class TestRatiosOfAPeriod:
    def test_labels_as_expected_have_a_ratio_of_one(self):
        """Means over many draws of what the model expects: within three of their standard errors."""
        found = []
        for seed in range(60):
            rng = np.random.default_rng(seed)
            labels = drawn(curve(0, 1), rng, each=2000)
            found.append(goal_ratios_of(labels, curve(0, 1)(labels.scores)))
        for metric in ("precision", "recall"):
            seen = np.array([one.ratios[metric] for one in found])
            assert np.abs(seen.mean(axis=0) - 1).max() < 3 * seen.std(axis=0).max() / 60**0.5 + 0.01
            told = np.array([one.variances[metric] for one in found]).mean(axis=0)
            assert seen.var(axis=0) == pytest.approx(told, rel=0.6)

    def test_a_model_that_is_too_sure_shows(self):
        """Called positive, at rates of .02 and .98, where 35 and 65% are: the level is right, the errors are not, and no
        sudden break explains both.
        """
        rng = np.random.default_rng(5)
        rates = np.repeat([0.02, 0.98], 2000)
        yes = rng.random(4000) < np.repeat([0.35, 0.65], 2000)
        assert goal_ratios_of(past(1, ["1"] * 4000, rates, yes), rates).ratios["precision"][0] > 4

    def test_labels_that_were_used_before_say_nothing_new(self):
        labels = drawn(curve(0, 1), np.random.default_rng(3), each=1000)
        rates = curve(0, 1)(labels.scores)
        half = replace(labels, first_use=np.arange(1000) % 2 == 0)
        odd = np.arange(1000) % 2 == 1
        flipped = replace(half, weights=np.where(odd, 40.0, 1.0))
        assert (
            goal_ratios_of(half, rates).variances["precision"][0]
            > goal_ratios_of(labels, rates).variances["precision"][0]
        )
        # What the old labels weigh moves levels and shares, and no error of theirs enters.
        none = replace(labels, first_use=np.zeros(1000, dtype=bool))
        assert np.isnan(goal_ratios_of(none, rates).ratios["recall"]).all()
        assert np.isfinite(goal_ratios_of(flipped, rates).ratios["recall"]).all()

    def test_nothing_called_positive_says_nothing_of_precision(self):
        labels = past(1, ["0"] * 50, np.full(50, 0.2), np.arange(50) % 5 == 0)
        found = goal_ratios_of(labels, np.full(50, 0.2))
        assert np.isnan(found.ratios["precision"][0])

    def test_a_history_keeps_them_by_age(self):
        made = with_variance_ratios(drawn(curve(0, 1), np.random.default_rng(1), ages=(1, 2, 3), each=400))
        assert sorted(made.goal_ratios) == sorted(made.ratios) == [1, 2]
        assert made.goal_ratios[1].ratios["recall"].shape == (2,)
