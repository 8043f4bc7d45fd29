"""Rates after a sudden break: found where labels speak of one, and hardly ever where they do not."""

import numpy as np
import pytest

from stratawatch.core.history.sudden_breaks import after_sudden_breaks
from tests.support.seed import random_seed

RATES = np.array([0.001, 0.02, 0.3, 0.6, 0.9, 0.985])
CALLS = np.array([[0, 0], [0, 0], [0, 1], [1, 0], [1, 1], [1, 0]], dtype=bool)
SIZES = np.array([80_000.0, 10_000, 2000, 2000, 2000, 2000])
LABELLED = np.array([300.0, 100, 60, 60, 60, 60])
QUIET = ~CALLS.any(axis=1)


def after(truth, labelled=LABELLED, calls=CALLS, rates=RATES):
    """What labels say that turn out as these rates of truth do on average."""
    return after_sudden_breaks(rates, calls, SIZES, labelled * truth, labelled)


def panel(classifiers):
    """Each calls every third cell or so, and none the first two."""
    calls = np.random.default_rng(7).random((6, classifiers)) < 0.4
    calls[:2] = False
    calls[2:, 0] = True
    return calls


class TestWithoutABreak:
    def test_labels_as_expected_leave_rates_as_they_are(self):
        assert after(RATES) is RATES

    def test_so_does_no_label(self):
        assert after(RATES, np.zeros(6)) is RATES

    def test_so_do_more_positives_among_calls_and_fewer_misses(self):
        """Better than history expected is no break of these kinds."""
        assert after(np.where(QUIET, 0.3 * RATES, RATES**0.5)) is RATES

    def test_one_false_call_among_sure_ones_is_none(self):
        """However sure history was of it."""
        rates = np.where(np.arange(6) < 5, RATES, 1 - 1e-7)
        positive = LABELLED * rates - (np.arange(6) == 5)
        assert after_sudden_breaks(rates, CALLS, SIZES, positive, LABELLED) is rates

    @pytest.mark.parametrize("classifiers", [1, 4, 20])
    def test_chance_makes_one_in_a_tenth_of_periods_at_most(self, classifiers):
        """Of either kind: a likelihood ratio of ten comes in one of ten periods at most, by Markov's inequality."""
        rng, calls, periods = np.random.default_rng(random_seed(__name__)), panel(classifiers), 600
        moved = np.zeros(2)
        for _ in range(periods):
            yes = rng.binomial(LABELLED.astype(int), RATES).astype(float)
            found = after_sudden_breaks(RATES, calls, SIZES, yes, LABELLED)
            moved += [(found != RATES)[QUIET].any(), (found != RATES)[~QUIET].any()]
        assert (moved / periods <= 0.1).all()


class TestCallsThatTurnFalse:
    def test_of_all_classifiers_alike_lose_a_part_of_every_rate(self):
        found = after(np.where(QUIET, RATES, 0.8 * RATES))
        assert found[~QUIET] == pytest.approx(0.8 * RATES[~QUIET], rel=0.03)
        assert (found[QUIET] == RATES[QUIET]).all()

    def test_of_one_classifier_leave_the_others(self):
        mine = CALLS[:, 0]
        found = after(np.where(mine, 0.75 * RATES, RATES))
        assert found[mine] == pytest.approx(0.75 * RATES[mine], rel=0.03)
        assert (found[~mine] == RATES[~mine]).all()

    def test_are_noticed_among_those_that_history_was_sure_of(self):
        """A tenth of calls that were right in 98 of 100 turns false: 100 labels notice in most periods. The sum of all
        labels' mistakes is within two and a half of its standard errors in most.
        """
        rng, rates, calls = (
            np.random.default_rng(random_seed(__name__)),
            np.array([0.98, 0.5]),
            np.ones((2, 1), dtype=bool),
        )
        labelled, sizes = np.array([100.0, 400]), np.array([1000.0, 4000])
        noticed = far = 0
        for _ in range(300):
            yes = rng.binomial([100, 400], [0.9 * 0.98, 0.5]).astype(float)
            noticed += after_sudden_breaks(rates, calls, sizes, yes, labelled) is not rates
            missing = abs((yes - labelled * rates).sum()) / ((labelled * rates * (1 - rates)).sum()) ** 0.5
            far += missing > 2.5
        assert noticed > 2 * far

    def test_of_one_of_twenty_classifiers_are_noticed_too(self):
        calls = panel(20)
        mine = calls[:, 3]
        assert 1 <= mine[2:].sum() <= 3
        found = after(np.where(mine, 0.7 * RATES, RATES), 4 * LABELLED, calls)
        assert found[mine] == pytest.approx(0.7 * RATES[mine], rel=0.03)


class TestBlindMisses:
    def test_are_as_much_more_everywhere(self):
        found = after(np.where(QUIET, RATES + 0.02, RATES))
        assert found[QUIET] - RATES[QUIET] == pytest.approx(0.02, rel=0.15)
        assert (found[~QUIET] == RATES[~QUIET]).all()

    def test_are_noticed_where_history_expected_next_to_none(self):
        """Four of 300, where a third of one was expected."""
        assert (after(RATES + np.array([4 / 300, 0, 0, 0, 0, 0])) > RATES)[QUIET].all()

    def test_need_items_that_nobody_calls(self):
        calls = np.ones((6, 1), dtype=bool)
        assert after(RATES + 0.02 * (RATES < 0.1), calls=calls) is RATES


def test_both_kinds_may_come_together():
    found = after(np.where(QUIET, RATES + 0.02, 0.8 * RATES))
    assert (found[QUIET] > RATES[QUIET] + 0.015).all()
    assert found[~QUIET] == pytest.approx(0.8 * RATES[~QUIET], rel=0.03)
