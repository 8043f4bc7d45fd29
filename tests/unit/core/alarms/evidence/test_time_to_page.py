"""Windows until a loss is paged: as often as windows of labels, drawn and bet on one by one, would take."""

import numpy as np
import pytest

from stratawatch.core.alarms.evidence.betting_round import BettingRound, KnownItems
from stratawatch.core.alarms.evidence.e_detector import evidence_of
from stratawatch.core.alarms.evidence.linear_tests import LimitTest, linear_test
from stratawatch.core.alarms.evidence.stakes import stakes_of
from stratawatch.core.alarms.evidence.time_to_page import CALM, MOST, PageRule, PlannedWindow, windows_to_page
from stratawatch.core.cells import Cells

CELLS = Cells.of(
    ["a"], ["1", "1", "0"], np.array([600.0, 400.0, 9000.0]), np.array([0.9, 0.7, 0.03]), np.array([0, 0, 1])
)
RATES = np.array([0.9, 0.7, 0.03])
PLANNED = PlannedWindow(CELLS, (), RATES, np.array([60, 40]))
PRECISION = LimitTest("a", "precision", None, "floor", 0.82, is_floor=True)
RULE = PageRule(threshold=400.0, z=99.0)


def expected(test=PRECISION, loss=0.05, rule=RULE, planned=PLANNED):
    return windows_to_page(planned, test, loss, rule, np.random.default_rng(1))


def played(loss, runs=300):
    """The same by labels: their cells and truths are drawn, each window, until the evidence is enough.

    Windows at the limit go before; where they page by themselves, all begins anew. Three quarters of the loss show in
    who is called, and stakes are chosen by that.
    """
    rng, linear, totals = np.random.default_rng(4), linear_test(PRECISION, CELLS, ()), PLANNED.totals.astype(float)

    def fallen_by(points):
        """The logits of both called cells moved alike, by hand to a precision of .82 less so many points."""
        return next(
            1 / (1 + np.exp(-(np.log(RATES / (1 - RATES)) - step)))
            for step in np.linspace(0, 3, 30_001)
            if (1 / (1 + np.exp(-(np.log(RATES[:2] / (1 - RATES[:2])) - step)))) @ [0.6, 0.4] <= 0.82 - points
        )

    def factors(prior_rates):
        bet = BettingRound.of(linear, CELLS, prior_rates, KnownItems.none(3), totals, totals)
        return [bet.log_factors(stake) for stake in stakes_of(bet).values()]

    moved, before, after = fallen_by(loss), factors(RATES), factors(fallen_by(0.75 * loss))

    def window(rates, factors):
        homes = rng.choice(2, 60, p=[0.6, 0.4])
        yes = rng.random(60) < rates[homes]
        return [float(np.where(yes, f[0][homes], f[1][homes]).sum()) for f in factors]

    found = []
    for _ in range(runs):
        windows, lost = [], 0
        for _ in range(CALM):
            windows.append(window(RATES, before))
            if evidence_of(np.array(windows)) >= RULE.threshold:
                windows = []
        while not lost or (evidence_of(np.array(windows)) < RULE.threshold and lost < MOST):
            windows.append(window(moved, after))
            lost += 1
        found.append(lost)
    return np.mean(found), np.std(found) / runs**0.5


@pytest.mark.parametrize("loss", [0.05, 0.1])
def test_agrees_with_labels_that_are_drawn_one_by_one(loss):
    mean, error = played(loss)
    assert expected(loss=loss) == pytest.approx(mean, abs=4 * error + 0.05 * mean)


def test_a_larger_loss_and_more_labels_are_paged_sooner():
    more = PlannedWindow(CELLS, (), RATES, np.array([200, 40]))
    assert expected(loss=0.1) < expected(loss=0.05) < expected(loss=0.03)
    assert expected(planned=more) < expected()


def test_one_window_that_lies_outside_pages_too():
    assert expected(loss=0.3, rule=PageRule(threshold=1e290, z=2.7)) < 2
    assert expected(rule=PageRule(RULE.threshold, z=2.7)) < expected()


def test_what_these_labels_never_page_is_none():
    assert expected(loss=0.0001, rule=PageRule(1e290, 99.0)) is None


def test_a_plan_that_leaves_the_test_without_labels_pages_nothing():
    assert expected(planned=PlannedWindow(CELLS, (), RATES, np.array([0, 40]))) is None


def test_a_ceiling_is_broken_by_a_rise():
    test = LimitTest("a", "false_omission_rate", None, "ceiling", 0.03, is_floor=False)
    many = PlannedWindow(CELLS, (), RATES, np.array([10, 400]))
    assert expected(test, 0.05, planned=many) < 3
