"""Windows until a fall from a baseline is paged: as often as labels, drawn and bet on one by one, would take."""

from dataclasses import replace

import numpy as np
import pytest

from stratawatch.core.alarms.evidence.betting_round import BettingRound, KnownItems
from stratawatch.core.alarms.evidence.drop_evidence import drop_evidence
from stratawatch.core.alarms.evidence.drop_tests import DropTest, share_log_b, shared_stakes
from stratawatch.core.alarms.evidence.linear_tests import linear_test
from stratawatch.core.alarms.evidence.time_to_page import PageRule, PlannedWindow
from stratawatch.core.alarms.evidence.time_to_page_drop import PlannedBaseline, windows_to_page_drop
from stratawatch.core.baselines.baseline_evidence import BaselineShare
from stratawatch.core.cells import Cells

CELLS = Cells.of(
    ["a"], ["1", "1", "0"], np.array([600.0, 400.0, 9000.0]), np.array([0.9, 0.7, 0.03]), np.array([0, 0, 1])
)
RATES = np.array([0.9, 0.7, 0.03])
PLANNED = PlannedWindow(CELLS, (), RATES, np.array([60, 40]))
DROP = DropTest("a", "precision", None, 0.05)
POINTS = tuple(np.linspace(0.74, 0.9, 9).tolist())
SHARE = BaselineShare(0.82, 900)
KNOWN = PlannedBaseline(0.82, 0.0128, POINTS, share_log_b("precision", SHARE, POINTS), windows=26, since=0)
RULE = PageRule(threshold=400.0, z=99.0)


def expected(loss=0.1, baseline=KNOWN, rule=RULE, planned=PLANNED, drop=DROP):
    return windows_to_page_drop(planned, drop, baseline, loss, rule, np.random.default_rng(1))


def played(loss, runs=60):
    """The same by labels: their cells and truths are drawn, each window, until the evidence is enough."""
    rng, totals = np.random.default_rng(4), PLANNED.totals.astype(float)
    tests = [DROP.falls_to(point) for point in POINTS]
    bets = [
        BettingRound.of(linear_test(one, CELLS, ()), CELLS, RATES, KnownItems.none(3), totals, totals) for one in tests
    ]
    stakes = shared_stakes(bets, tests[0], CELLS, ()).values()
    factors = [[bet.log_factors(stake)[:2] for bet in bets] for stake in stakes]
    # Rates after the fall: the logits of both called cells moved alike, by hand to a precision of .82 - .05 - loss.
    moved = next(
        1 / (1 + np.exp(-(np.log(RATES / (1 - RATES)) - step)))
        for step in np.linspace(0, 3, 3001)
        if (1 / (1 + np.exp(-(np.log(RATES[:2] / (1 - RATES[:2])) - step)))) @ [0.6, 0.4] <= 0.77 - loss
    )
    found = []
    for _ in range(runs):
        windows = []
        while len(windows) < 104:
            homes = rng.choice(2, 60, p=[0.6, 0.4])
            yes = rng.random(60) < moved[homes]
            windows.append([[np.where(yes, f[0][homes], f[1][homes]).sum() for f in row] for row in factors])
            none = np.zeros(len(windows), dtype=np.int64)
            if drop_evidence(np.array(windows), KNOWN.log_b, np.zeros((0, 7, 9)), none).value >= RULE.threshold:
                break
        found.append(len(windows))
    return np.mean(found), np.std(found) / runs**0.5


def test_agrees_with_labels_that_are_drawn_one_by_one():
    mean, error = played(0.1)
    assert expected() == pytest.approx(mean, abs=4 * error + 0.05 * mean)


def test_a_larger_fall_and_more_labels_are_paged_sooner():
    more = PlannedWindow(CELLS, (), RATES, np.array([200, 40]))
    assert expected(0.2) < expected() < (expected(0.06) or 104)
    assert expected(planned=more) < expected()


def test_a_baseline_that_is_known_less_well_is_fallen_from_later():
    few = share_log_b("precision", BaselineShare(0.82, 150), POINTS)
    assert expected() < expected(baseline=replace(KNOWN, log_b=few))


def test_a_baseline_grows_by_what_came_before_the_fall():
    """Eight windows and more before it are taken in; without any, what came after the fall is all there is to take."""
    few = replace(KNOWN, log_b=share_log_b("precision", BaselineShare(0.82, 150), POINTS), windows=2)
    assert expected(baseline=replace(few, since=24)) < expected(baseline=few)


def test_what_windows_before_the_fall_gathered_counts():
    """A baseline that has long been in force, and grows no more."""
    at_once = DropTest("a", "precision", None, 0.0)
    assert expected(0.05, replace(KNOWN, since=30), drop=at_once) < 0.95 * expected(0.05, drop=at_once)


def test_one_window_that_lies_outside_pages_too():
    assert expected(0.3, rule=PageRule(threshold=1e290, z=2.7)) < 2
    surer = replace(KNOWN, standard_error=0.0)
    assert expected(0.15, surer, PageRule(1e290, 2.7)) < expected(
        0.15, replace(KNOWN, standard_error=0.05), PageRule(1e290, 2.7)
    )


def test_what_these_labels_never_page_is_none():
    assert expected(0.0001) is None
    assert expected(planned=PlannedWindow(CELLS, (), RATES, np.array([0, 40]))) is None


def test_a_rise_where_low_is_good():
    drop = DropTest("a", "false_omission_rate", None, 0.02)
    points = tuple(np.linspace(0.01, 0.06, 9).tolist())
    log_b = share_log_b("false_omission_rate", BaselineShare(0.03, 900), points)
    many = PlannedWindow(CELLS, (), RATES, np.array([10, 400]))
    assert expected(0.1, PlannedBaseline(0.03, 0.006, points, log_b, 26, 0), planned=many, drop=drop) < 4
