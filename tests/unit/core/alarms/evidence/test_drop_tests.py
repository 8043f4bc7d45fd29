"""Bets on a fall from a baseline: valid at its true value by every draw, and concave between the points of a grid."""

from itertools import product

import numpy as np
import pytest

from stratawatch.core.alarms.evidence.drop_tests import (
    DropTest,
    baseline_e_values,
    drop_points,
    fall_e_values,
    share_log_b,
)
from stratawatch.core.baselines.baseline_evidence import BaselineShare
from stratawatch.core.metrics import METRICS
from stratawatch.core.population import Segment
from stratawatch.core.tuning import EVIDENCE
from tests.support.closed_forms import RATIOS
from tests.support.small_windows import PRIOR, answer, answers, draws, mixed, ratio


def tables(values, tests):
    """Log e-values by loss, an array over tests; rounds add up."""
    found = {}
    for one in values:
        found.setdefault(one.loss, np.zeros(len(tests)))[one.test] += one.log_e
    return found


def expectations(formula, tests, design, truth, labels):
    """Mean e-values over every draw, by loss and test."""
    drawn = list(draws(design, labels))
    sums = {}
    for each in drawn:
        for loss, log_e in tables(formula(design, [answers(truth, each)], tests), tests).items():
            sums[loss] = sums.get(loss, 0.0) + np.exp(log_e) / len(drawn)
    return sums


class TestExpectationOverEveryDraw:
    """At the true value of a metric E is at most 1, with rates that are good, wrong or none."""

    KINDS = (("precision", PRIOR), ("recall", PRIOR), ("recall", (0.1, 0.9, 0.5, 0.6, 0.2)), ("recall", None), ("false_omission_rate", PRIOR), ("specificity", None))  # fmt: skip

    def points(self, metric, prior):
        design, truth = mixed(prior)
        value = ratio(design, truth, RATIOS[metric])
        return design, truth, value, [max(value - 0.15, 0.01), value, min(value + 0.15, 0.99)]

    @pytest.mark.parametrize(("metric", "prior"), KINDS)
    def test_of_a_fall(self, metric, prior):
        design, truth, value, points = self.points(metric, prior)
        drop = DropTest("a", metric, None, 0.1)
        allowed = 0.1 if drop.falls_to(0.5).is_floor else -0.1
        tests = [drop.falls_to(point + allowed) for point in points]
        assert tests[1].limit == pytest.approx(value)
        means = expectations(fall_e_values, tests, design, truth, (2, 1, 1))
        assert max(mean[1] for mean in means.values()) <= 1 + 1e-12
        assert min(mean[2 if drop.falls_to(0.5).is_floor else 0] for mean in means.values()) > 1

    @pytest.mark.parametrize(("metric", "prior"), KINDS)
    def test_of_a_better_baseline(self, metric, prior):
        design, truth, _, points = self.points(metric, prior)
        tests = [DropTest("a", metric, None, 0.1).was_better_than(point) for point in points]
        means = expectations(baseline_e_values, tests, design, truth, (2, 1, 1))
        assert max(mean[1] for mean in means.values()) <= 1 + 1e-12
        assert set(means) == set(EVIDENCE.baseline_losses)
        assert min(mean[2 if tests[0].is_floor else 0] for mean in means.values()) > 1


@pytest.mark.parametrize("formula", [fall_e_values, baseline_e_values])
@pytest.mark.parametrize("metric", METRICS)
def test_log_e_lies_above_the_straight_line_between_two_points(formula, metric):
    design, truth = mixed(PRIOR)
    drop = DropTest("b", metric, None, 0.05)
    make = drop.falls_to if formula is fall_e_values else drop.was_better_than
    tests = [make(point) for point in np.linspace(0.2, 0.9, 15)]
    for drawn in (["0-0", "0-2", "1-1", "2-0", "3-0", "3-1", "4-1"], ["0-0", "0-1", "3-2", "3-3", "4-0"]):
        for log_e in tables(formula(design, [answers(truth, drawn)], tests), tests).values():
            assert np.diff(log_e, 2).max() <= 1e-9
            assert np.ptp(log_e) > 0


class TestStakes:
    DRAWN = ("0-0", "0-2", "1-0", "3-0", "3-1", "4-0")

    def points(self):
        drop = DropTest("a", "recall", Segment("kind", "x"), 0.05)
        return [drop.was_better_than(point) for point in (0.4, 0.6, 0.8)]

    def test_are_the_same_at_every_point_and_for_any_answers(self):
        design, truth = mixed(PRIOR)
        stakes = []
        for said in (truth, {item: not value for item, value in truth.items()}):
            found = baseline_e_values(design, [answers(said, self.DRAWN)], self.points())
            by_loss = {one.loss: one.stake for one in found}
            assert all(one.stake == by_loss[one.loss] for one in found)
            stakes.append(by_loss)
        assert stakes[0] == stakes[1]

    def test_of_a_baseline_do_not_look_at_its_points(self):
        """These were chosen by its labels."""
        design, truth = mixed(PRIOR)
        labels, drop = [answers(truth, self.DRAWN)], DropTest("a", "recall", None, 0.05)
        stakes = [
            sorted(
                {one.stake for one in baseline_e_values(design, labels, [drop.was_better_than(at) for at in points])}
            )
            for points in ((0.4, 0.6), (0.1, 0.95))
        ]
        assert stakes[0] == pytest.approx(stakes[1])

    def test_those_of_an_earlier_judgement_are_used_again(self):
        design, truth = mixed(PRIOR)
        found = fall_e_values(design, [answers(truth, self.DRAWN)], self.points(), {(1, 0.06): 0.2})
        assert [(one.test, one.loss, one.stake) for one in found] == [(place, 0.06, 0.2) for place in range(3)]

    def test_a_round_that_cannot_bet_at_a_point_bets_at_none(self):
        design, truth = mixed(PRIOR)
        assert fall_e_values(design, [answers(truth, ["0-0", "4-0"])], self.points()) == ()
        assert fall_e_values(design, [[answer("0-0", None)]], self.points()) == ()


class TestShares:
    @pytest.mark.parametrize("metric", ["precision", "false_omission_rate"])
    @pytest.mark.parametrize("p", [0.1, 0.5, 0.9])
    def test_log_b_of_labels_drawn_at_random_is_valid_at_the_true_value(self, metric, p):
        n = 12
        chances = [p**k * (1 - p) ** (n - k) * len(list(choices(n, k))) for k in range(n + 1)]
        e = [np.exp(share_log_b(metric, BaselineShare(k / n, n), [p, 0.3, 0.7])) for k in range(n + 1)]
        mean = sum(chance * one for chance, one in zip(chances, e, strict=True))
        assert mean[:, 0] == pytest.approx(1)
        worse, better = (1, 2) if metric == "precision" else (2, 1)
        if p == 0.5:
            assert (mean[:, worse] > 1).all()
            assert (mean[:, better] < 1).all()

    def test_points_reach_as_far_as_anybody_could_doubt(self):
        points = drop_points(BaselineShare(0.8, 400))
        assert points[0] < 0.8 - 5 * 0.02 < 0.8 + 4 * 0.02 < points[-1]
        assert drop_points(BaselineShare(1.0, 3))[-1] < 1


def choices(n, k):
    """The ways to choose k of n, as 0 and 1."""
    return (one for one in product((0, 1), repeat=n) if sum(one) == k)
