"""How much is staked: a part of what grows most after the loss; and no answer takes more than nine tenths."""

from dataclasses import replace

import numpy as np
import pytest

from stratawatch.core.alarms.evidence.betting_round import BettingRound, KnownItems
from stratawatch.core.alarms.evidence.e_values import window_e_values
from stratawatch.core.alarms.evidence.linear_tests import linear_test
from stratawatch.core.alarms.evidence.stakes import growth, stakes_of
from tests.support.small_windows import PRIOR, answers, at_the_truth, ceiling, draws_apart, floor, mixed, window

LOSSES = (0.03, 0.06, 0.12)


def bet_on(design, test, labels, rates):
    n = np.asarray(labels, dtype=np.float64)
    cells = design.cells
    linear = linear_test(test, cells, design.atoms)
    return BettingRound.of(linear, cells, np.asarray(rates), KnownItems.none(len(cells.sizes)), n, n)


def heavy(limit=0.7):
    """Half of what a classifier calls positive lies among very many items that it does not, in one stratum with them.

    One label stands for two hundred there, and for ten in the other stratum.
    """
    letters = ["1" * 36 + "0" * 4, "1" * 2 + "0" * 38, "0" * 760 + "1" * 40]
    rates = (0.9, 0.1, 0.05)
    design, truth = window(["1", "1", "0"], [0.9, 0.3, 0.1], [0, 1, 1], letters, prior=rates)
    return design, truth, bet_on(design, floor("precision", limit), (4, 4), rates)


def growth_at(bet, stake, rates):
    return float(growth(bet, np.array([stake]), np.asarray(rates))[0])


class TestRatesThatAreMoved:
    def test_up_to_the_largest_stake_they_stay(self):
        _, _, bet = heavy()
        expected, rates = bet.moved_for(bet.largest_stake * np.array([0.5, 1.0, 1.1]))
        assert (rates[:2] == bet.rates).all()
        assert (expected[:2] == bet.expected).all()
        assert (rates[2] != bet.rates).any()
        assert expected[2] > bet.expected

    @pytest.mark.parametrize("part", [0.1, 0.5, 0.9, 1.0])
    @pytest.mark.parametrize("metric", ["precision", "recall", "f1", "false_omission_rate"])
    @pytest.mark.parametrize("make", [floor, ceiling])
    def test_beyond_it_the_worst_answer_leaves_a_tenth(self, part, metric, make):
        design, _ = mixed(PRIOR)
        bet = bet_on(design, make(metric, 0.5), (2, 1, 1), PRIOR)
        stake = bet.largest_stake + part * (bet.furthest_stake - bet.largest_stake)
        yes, no, other = bet.log_factors(stake)
        worst = min(yes[bet.betting].min(), no[bet.betting].min(), other)
        assert worst == pytest.approx(np.log(0.1))

    @pytest.mark.parametrize("metric", ["precision", "recall", "f1", "accuracy"])
    def test_the_estimate_stays_unbiased(self, metric):
        design, _ = mixed(PRIOR)
        bet = bet_on(design, floor(metric, 0.5), (2, 1, 1), PRIOR)
        expected, rates = (
            found[0] for found in bet.moved_for(np.array([(bet.largest_stake + bet.furthest_stake) / 2]))
        )
        assert np.abs(rates - bet.rates).max() > 0.05
        moved = replace(bet, expected=float(expected), rates=rates)
        for truth in np.random.default_rng(5).random((20, len(PRIOR))):
            assert moved.theta(truth) == pytest.approx(bet.theta(truth))

    def test_only_those_of_heavy_answers_move(self):
        _, _, bet = heavy()
        [rates] = bet.moved_for(np.array([2 * bet.largest_stake]))[1]
        assert (rates[0], rates[2]) == (0.9, 0.05)
        assert 0.1 < rates[1] < 1

    def test_so_the_others_may_be_bet_more(self):
        """Where one answer in a hundred weighs most, the stake of all was held back by it."""
        _, _, bet = heavy()
        after = (0.7, 0.02, 0.05)
        assert growth_at(bet, 2 * bet.largest_stake, after) > 1.2 * growth_at(bet, bet.largest_stake, after) > 0

    @pytest.mark.parametrize("labels", [(2, 1, 1), (3, 2, 1), (1, 3, 2)])
    @pytest.mark.parametrize("prior", [PRIOR, (0.1, 0.9, 0.5, 0.6, 0.2)], ids=["good", "wrong"])
    @pytest.mark.parametrize("part", [0.5, 1.0])
    def test_over_every_draw_e_is_1_or_less_on_average(self, labels, prior, part):
        design, truth = mixed(prior)
        tests = at_the_truth(design, truth)
        stakes = {}
        for place, test in enumerate(tests):
            bet = bet_on(design, test, labels, prior)
            stakes[place, 1, 0.06] = bet.largest_stake + part * (bet.furthest_stake - bet.largest_stake)
        sums, count = np.zeros(len(tests)), 0
        for drawn, times in draws_apart(design, truth, labels):
            count += times
            for one in window_e_values(design, [answers(truth, drawn)], tests, stakes):
                assert one.stake == pytest.approx(stakes[one.test, 1, 0.06])
                sums[one.test] += times * np.exp(one.log_e)
        assert sums.max() / count <= 1 + 1e-12
        assert sums.min() > 0


class TestStakes:
    @pytest.mark.parametrize("loss", [0.03, 0.06, 0.11])
    def test_are_half_of_what_grows_most(self, loss):
        """Half of forty labels right, a floor of 50%: after a loss d each wins 1 + L/80 in (.5 + d) of the cases."""
        design, _ = window(["1"], [0.5], [0], ["10" * 400], prior=[0.5])
        bet = bet_on(design, floor(limit=0.5), (40,), (0.5,))
        # (1/2 + d) log(1 + L/80) + (1/2 - d) log(1 - L/80) is largest at L/80 = 2 d.
        assert stakes_of(bet, [loss])[loss] == pytest.approx(0.5 * 80 * 2 * loss, rel=0.01)

    @pytest.mark.parametrize("loss", [0.12, 0.25])
    def test_of_large_losses_are_those_of_a_normal_law(self, loss):
        """However the rates put the metric; V = q (1 - q)/40 with the logit of q moved by d/(m (1 - m))."""
        design, _ = window(["1"], [0.6], [0], ["10" * 400], prior=[0.6])
        for limit in (0.5, 0.6, 0.7):
            bet = bet_on(design, floor(limit=limit), (40,), (0.6,))
            q = 1 / (1 + np.exp(min(loss / 0.24, 4) - np.log(0.6 / 0.4)))
            normal = loss / (q * (1 - q) / 40 + loss**2 / 40)
            assert stakes_of(bet, [loss])[loss] == pytest.approx(min(normal, bet.largest_stake))

    def test_of_several_losses_are_those_of_each(self):
        _, _, bet = heavy()
        together = stakes_of(bet, LOSSES)
        assert together == {loss: stakes_of(bet, [loss])[loss] for loss in LOSSES}
        assert list(together) == list(LOSSES)

    def test_are_larger_where_rates_put_the_metric_outside(self):
        design, _ = window(["1"], [0.5], [0], ["10" * 400], prior=[0.5])
        at, outside, inside = (
            stakes_of(bet_on(design, floor(limit=0.5), (40,), (rate,)), [0.03, 0.11]) for rate in (0.5, 0.42, 0.6)
        )
        assert outside[0.03] == pytest.approx(at[0.11], rel=0.05)
        assert inside[0.03] == pytest.approx(at[0.03], rel=0.05)

    def test_make_evidence_grow_after_the_loss_that_is_bet_on(self):
        """And after half of it, where the stake that grows most stands still at best."""
        design, _ = window(["1"], [0.5], [0], ["10" * 400], prior=[0.5])
        bet = bet_on(design, floor(limit=0.5), (40,), (0.5,))
        for loss, stake in stakes_of(bet, [0.03, 0.06]).items():
            after, half = growth_at(bet, stake, [0.5 - loss]), growth_at(bet, stake, [0.5 - loss / 2])
            assert after > half > 0 > growth_at(bet, stake, [0.5])
            assert growth_at(bet, stake / 0.5, [0.5 - loss]) == pytest.approx(after / 0.75, rel=0.05)
            assert growth_at(bet, stake / 0.5, [0.5 - loss / 2]) < half / 10

    def test_do_not_end_where_no_loss_is_left(self):
        """A floor of 2% cannot be missed by 12 points."""
        design, _ = window(["1"], [0.03], [0], ["1" * 3 + "0" * 97], prior=[0.03])
        bet = bet_on(design, floor(limit=0.02), (20,), (0.03,))
        assert all(0 < stake < np.inf for stake in stakes_of(bet).values())
