"""Rates after a sudden break: found where labels speak of one, and hardly ever where they do not."""

from itertools import product
from math import comb

import numpy as np
import pytest

from stratawatch.core.history.sided_rates import sided_rates
from stratawatch.core.history.sudden_breaks import after_blind_misses, after_false_calls
from tests.support.seed import random_seed

RATES = np.array([0.001, 0.02, 0.3, 0.6, 0.9, 0.985])
CALLS = np.array([[0, 0], [0, 0], [0, 1], [1, 0], [1, 1], [1, 0]], dtype=bool)
SIZES = np.array([80_000.0, 10_000, 2000, 2000, 2000, 2000])
LABELLED = np.array([300.0, 100, 60, 60, 60, 60])
QUIET = ~CALLS.any(axis=1)


def false_calls(truth, labelled=LABELLED, calls=CALLS, rates=RATES):
    """The rates after labels that turn out as these rates of truth do on average."""
    return after_false_calls(rates, calls, labelled * truth, labelled)


def blind_misses(truth, labelled=LABELLED, calls=CALLS, sizes=SIZES, rates=RATES):
    """The same for misses."""
    return after_blind_misses(rates, calls, sizes, labelled * truth, labelled)


def panel(classifiers):
    """Each calls every third cell or so, and none the first two."""
    calls = np.random.default_rng(7).random((6, classifiers)) < 0.4
    calls[:2] = False
    calls[2:, 0] = True
    return calls


@pytest.mark.parametrize("after", [false_calls, blind_misses])
class TestWithoutABreak:
    def test_labels_as_expected_leave_rates_as_they_are(self, after):
        assert after(RATES) is RATES

    def test_so_does_no_label(self, after):
        assert after(RATES, np.zeros(6)) is RATES

    def test_so_do_more_positives_among_calls_and_fewer_misses(self, after):
        """Better than history expected is no break of these kinds."""
        assert after(np.where(QUIET, 0.3 * RATES, RATES**0.5)) is RATES

    @pytest.mark.parametrize("classifiers", [1, 4, 20])
    def test_chance_makes_one_in_a_tenth_of_periods_at_most(self, after, classifiers):
        """Markov's inequality says a tenth; of a tenth by chance 600 periods stay within three standard errors."""
        rng, calls, periods = np.random.default_rng(random_seed(__name__)), panel(classifiers), 600
        found = [rng.binomial(LABELLED.astype(int), RATES) / LABELLED for _ in range(periods)]
        moved = np.mean([after(truth, calls=calls) is not RATES for truth in found])
        assert moved <= 0.1 + 3 * (0.09 / periods) ** 0.5


class TestCallsThatTurnFalse:
    def test_of_all_classifiers_alike_lose_a_part_of_every_rate(self):
        found = false_calls(np.where(QUIET, RATES, 0.8 * RATES))
        assert found[~QUIET] == pytest.approx(0.8 * RATES[~QUIET], rel=0.03)
        assert (found[QUIET] == RATES[QUIET]).all()

    def test_of_one_classifier_leave_the_others(self):
        mine = CALLS[:, 0]
        found = false_calls(np.where(mine, 0.75 * RATES, RATES))
        assert found[mine] == pytest.approx(0.75 * RATES[mine], rel=0.03)
        assert (found[~mine] == RATES[~mine]).all()

    def test_are_noticed_among_those_that_history_was_sure_of(self):
        """A tenth of calls that were right in 98 of 100 turns false: 100 labels notice in most periods. The sum of all
        labels' mistakes is within two and a half of its standard errors in most.
        """
        rng = np.random.default_rng(random_seed(__name__))
        rates, calls, labelled = np.array([0.98, 0.5]), np.ones((2, 1), dtype=bool), np.array([100.0, 400])
        noticed = far = 0
        for _ in range(300):
            yes = rng.binomial([100, 400], [0.9 * 0.98, 0.5]).astype(float)
            noticed += after_false_calls(rates, calls, yes, labelled) is not rates
            far += abs((yes - labelled * rates).sum()) > 2.5 * (labelled * rates * (1 - rates)).sum() ** 0.5
        assert noticed > 2 * far

    def test_of_one_of_twenty_classifiers_are_noticed_too(self):
        calls = panel(20)
        mine = calls[:, 3]
        assert 1 <= mine[2:].sum() <= 3
        found = false_calls(np.where(mine, 0.7 * RATES, RATES), 4 * LABELLED, calls)
        assert found[mine] == pytest.approx(0.7 * RATES[mine], rel=0.03)

    @pytest.mark.parametrize("labels", [1, 2, 60])
    def test_one_alone_is_none(self, labels):
        """However sure history was of it."""
        rates, labelled = np.array([1 - 1e-6]), np.array([float(labels)])
        assert after_false_calls(rates, np.array([[True]]), labelled - 1, labelled) is rates

    def test_are_held_against_the_mean_of_the_classifiers(self):
        """Three labels of a sure cell that the first alone calls, two of them no: its ratio, and that of what anybody calls,
        is .9 x 5.66^2 = 29 at a rate of .979, and 1 for each classifier without labels. With two of these it is 15 on
        average of the four, with five 9 on average of the seven.
        """
        rates, labelled, positive = np.array([0.979, 0.9]), np.array([3.0, 0.0]), np.array([1.0, 0.0])
        for others, noticed in ((2, True), (5, False)):
            calls = np.column_stack([[True, False], *([[False, True]] * others)])
            assert (after_false_calls(rates, calls, positive, labelled) is not rates) is noticed


class TestBlindMisses:
    def test_are_as_much_more_everywhere(self):
        found = blind_misses(np.where(QUIET, RATES + 0.02, RATES))
        assert found[QUIET] - RATES[QUIET] == pytest.approx(0.02, rel=0.15)
        assert (found[~QUIET] == RATES[~QUIET]).all()

    def test_are_noticed_where_history_expected_next_to_none(self):
        """Four of 300, where a third of one was expected."""
        assert (blind_misses(RATES + np.array([4 / 300, 0, 0, 0, 0, 0])) > RATES)[QUIET].all()

    def test_need_items_that_nobody_calls(self):
        assert blind_misses(RATES + 0.02 * (RATES < 0.1), calls=np.ones((6, 1), dtype=bool)) is RATES

    def test_one_alone_is_none_however_rare_they_were(self):
        """A rate of one in ten thousand at least: 1 of 500 labels is ten times likelier under no break."""
        rates = np.array([1e-7, *RATES[1:]])
        assert blind_misses(rates + (rates < 1e-6) / 500, np.array([500, *LABELLED[1:]]), rates=rates) is rates

    def test_lie_among_what_was_judged(self):
        """Items that no classifier judged have no size here: neither do they dilute the break, nor do they move."""
        judged = np.where(np.arange(6) == 1, 0.0, SIZES)
        found = blind_misses(np.where(QUIET, RATES + 0.02, RATES), sizes=judged)
        assert found[0] > RATES[0]
        assert found[1] == RATES[1]

    def test_leave_no_rate_certain(self):
        rates, sizes, labelled = np.array([0.05, 0.95, 0.9]), np.array([20.0, 10, 10]), np.array([20.0, 10, 0])
        found = after_blind_misses(
            rates, np.array([[False], [False], [True]]), sizes, np.array([19.0, 10, 0]), labelled
        )
        assert (found[:2] > rates[:2]).all()
        assert found.max() <= 0.99


class TestExpectedRatios:
    """The expectation of every ratio is at most one where the rates are right: what Markov's inequality rests on."""

    def test_of_false_calls(self):
        """All outcomes of a few labels of a panel of three, with the sum of what is noticed times its bound."""
        rates, calls = np.array([0.5, 0.97, 0.999]), np.array([[1, 0, 1], [1, 1, 0], [0, 1, 1]], dtype=bool)
        labelled = np.array([4.0, 4, 3])
        noticed = 0.0
        for yes in product(*(range(int(n) + 1) for n in labelled)):
            if after_false_calls(rates, calls, np.array(yes, dtype=float), labelled) is not rates:
                noticed += float(np.prod(binomials(yes, labelled, rates)))
        assert 0 < noticed <= 0.1

    def test_of_blind_misses(self):
        rates, calls = np.array([1e-5, 0.002, 0.9]), np.array([[False], [False], [True]])
        sizes, labelled = np.array([5000.0, 5000, 2000]), np.array([30.0, 30, 0])
        noticed = 0.0
        for yes in product(range(8), range(8), (0,)):
            if after_blind_misses(rates, calls, sizes, np.array(yes, dtype=float), labelled) is not rates:
                noticed += float(np.prod(binomials(yes, labelled, rates)))
        assert 0 < noticed <= 0.1


def binomials(yes, labelled, rates):
    return [comb(int(n), k) * p**k * (1 - p) ** (int(n) - k) for k, n, p in zip(yes, labelled, rates, strict=True)]


class TestBothKinds:
    truth = np.where(QUIET, RATES + 0.02, 0.8 * RATES)

    def test_may_come_together(self):
        found = sided_rates(RATES, CALLS, SIZES, LABELLED * self.truth, LABELLED).rates
        assert (found[QUIET] > RATES[QUIET] + 0.01).all()
        assert found[3:] == pytest.approx(0.8 * RATES[3:], rel=0.05)

    def test_false_calls_are_not_taken_for_blind_misses_too(self):
        """They lower the common level, so that the usual misses look like more than were expected."""
        rng = np.random.default_rng(random_seed(__name__))
        truth, labelled, missed = np.where(QUIET, RATES, 0.85 * RATES), 4 * LABELLED, 0
        for _ in range(300):
            yes = rng.binomial(labelled.astype(int), truth).astype(float)
            missed += sided_rates(RATES, CALLS, SIZES, yes, labelled).rates[0] > 3 * RATES[0]
        assert missed <= 0.05 * 300

    def test_only_the_sure_calls_turn_false(self):
        """Ten of a hundred sure calls, and nothing else: their side as a whole is within two standard errors."""
        rates = np.array([0.02, 0.5, 0.97])
        calls, sizes = np.array([[False], [True], [True]]), np.array([50_000.0, 2000, 2000])
        labelled = np.array([200.0, 400, 100])
        found = sided_rates(rates, calls, sizes, labelled * np.array([0.02, 0.51, 0.87]), labelled)
        assert found.surprise < 2
        assert found.rates[2] < 0.95


def test_a_million_labels_are_not_too_many():
    """Their ratio is no number that a computer can hold."""
    assert (false_calls(0.5 * RATES, 1e4 * LABELLED) < RATES)[~QUIET].all()
    assert (blind_misses(RATES + 0.05, 1e4 * LABELLED) > RATES)[QUIET].all()
