"""The evidence of a fall: folded as by hand, at most a window's worth on average by every draw, and soon after a fall."""

from itertools import product

import numpy as np
import pytest

from stratawatch.core.alarms.evidence.betting_round import BettingRound, KnownItems
from stratawatch.core.alarms.evidence.drop_evidence import drop_evidence, log_e_by_point, low_ends
from stratawatch.core.alarms.evidence.drop_tests import (
    DropTest,
    baseline_e_values,
    baseline_ends,
    drop_points,
    fall_e_values,
    shared_stakes,
)
from stratawatch.core.alarms.evidence.e_detector import evidence_of
from stratawatch.core.alarms.evidence.linear_tests import linear_test
from stratawatch.core.baselines.baseline_evidence import BaselineShare
from stratawatch.core.cells import Cells
from stratawatch.core.tuning import EVIDENCE
from tests.support.closed_forms import RATIOS
from tests.support.small_windows import answers, draws, ratio, window

NONE = np.zeros((0, 1, 2))


class TestByHand:
    def test_windows_are_folded_with_the_baseline(self):
        """Level over the points: B = mean(2, 4) = 3, then M = 3 x .5, then (1.5 + 3) x 4."""
        log_b = np.log([[2.0, 2.0], [4.0, 4.0]])
        found = drop_evidence(np.log([[[0.5, 0.5]], [[4.0, 4.0]]]), log_b, np.zeros((0, 2, 2)), np.array([0, 0]))
        assert found.value == pytest.approx(18)
        assert found.log_e == pytest.approx(np.log([[0.5], [4.0]]))

    def test_bets_are_averaged(self):
        found = drop_evidence(np.log([[[0.5, 0.5], [3.0, 3.0]]]), np.zeros((1, 2)), NONE, np.array([0]))
        assert found.value == pytest.approx(1.75)

    def test_what_a_baseline_takes_in_counts_from_then_on(self):
        """B is 1 for the first window, and 5 for the second."""
        growth = np.log([[[5.0, 5.0]]])
        found = drop_evidence(np.log([[[2.0, 2.0]], [[3.0, 3.0]]]), np.zeros((1, 2)), growth, np.array([0, 1]))
        assert found.value == pytest.approx((2 + 5) * 3)

    def test_the_smallest_over_the_grid_counts(self):
        """E rises with the baseline's value, B falls: the smallest product lies inside."""
        log_b, log_e = np.array([[3.0, 1.0, -4.0]]), np.array([[[-3.0, 0.0, 5.5]]])
        found = drop_evidence(log_e, log_b, np.zeros((0, 1, 3)), np.array([0]))
        assert 0 < np.exp(0) - found.value < 0.2
        assert found.log_e[0, 0] == pytest.approx(-3, abs=0.1)

    def test_without_a_baseline_s_error_it_is_that_of_a_floor(self):
        log_e = np.log([[0.5, 2.0], [3.0, 1.5], [0.25, 4.0]])
        found = drop_evidence(np.repeat(log_e[:, :, None], 2, axis=2), np.zeros((1, 2)), NONE, np.zeros(3, dtype=int))
        assert found.value == pytest.approx(evidence_of(log_e))

    def test_without_a_bet_there_is_none(self):
        table = log_e_by_point([{}, {}], 2)
        assert drop_evidence(table, np.zeros((1, 2)), NONE, np.array([0, 0])).value == 0

    def test_a_bet_that_a_window_did_not_make_is_a_factor_of_1(self):
        table = log_e_by_point([{}, {0.03: [0.5, 1.0]}, {0.25: [9.0, 9.0]}], 2)
        assert table.tolist() == [[[0.0, 0.0]], [[0.5, 1.0]], [[0.0, 0.0]]]


def test_a_step_between_points_has_the_smaller_of_its_ends_on_the_line():
    found = low_ends(np.array([[0.0, 32.0, 0.0]]))[0]
    assert found.tolist() == [*range(32), *reversed(range(32))]
    assert EVIDENCE.grid_steps == 32


class TestExpectationOverEveryDraw:
    """A metric that stands still: after t windows the evidence is t on average or less, over every baseline and draw."""

    def play(self, design, truth, labels, metric, points_of):
        """Mean evidence after two windows; the first is taken into the baseline before the second."""
        drawn, drop = list(draws(design, labels)), DropTest("a", metric, None, 0.0)
        total = 0.0
        for base in drawn:
            points = points_of(base)
            better, falls = (
                [_table(formula(design, [answers(truth, one)], [make(point) for point in points])) for one in drawn]
                for formula, make in ((baseline_e_values, drop.was_better_than), (fall_e_values, drop.falls_to))
            )
            log_b = better[drawn.index(base)]
            for one, other in product(range(len(drawn)), repeat=2):
                log_e = np.stack([falls[one], falls[other]])
                total += drop_evidence(log_e, log_b, better[one][None], np.array([0, 1])).value
        return total / len(drawn) ** 3

    def test_of_precision_on_a_grid_that_the_baseline_s_own_labels_chose(self):
        design, truth = window(["1"], [0.5], [0], ["11010"], prior=[0.7])
        share = lambda base: BaselineShare(sum(truth[item] for item in base) / len(base), len(base))  # noqa: E731
        found = self.play(design, truth, (2,), "precision", lambda base: drop_points(share(base)))
        assert 0.02 < found <= 2

    @pytest.mark.parametrize("width", [0.01, 0.3])
    def test_of_recall_on_a_grid_around_it(self, width):
        design, truth = window(["1", "0"], [0.7, 0.2], [0, 1], ["110", "010"], prior=[0.6, 0.3])
        value = ratio(design, truth, RATIOS["recall"])
        points = np.linspace(value - width, value + width, 5)
        found = self.play(design, truth, (2, 1), "recall", lambda _: points)
        assert 0.02 < found <= 2


def _table(values):
    """Log e-values: losses x points."""
    losses = list(dict.fromkeys(one.loss for one in values))
    table = np.zeros((len(losses), 1 + max(one.test for one in values)))
    for one in values:
        table[losses.index(one.loss), one.test] += one.log_e
    return table


class TestByMonteCarlo:
    """Forty labels a window of two called cells; a baseline of four windows that takes in two more."""

    CELLS = Cells.of(["a"], ["1", "1"], np.array([600.0, 400.0]), np.array([0.9, 0.7]), np.array([0, 0]))
    TRUTH = np.array([0.88, 0.75])
    VALUE = 0.6 * 0.88 + 0.4 * 0.75
    BEFORE, GROWS, WINDOWS, RUNS = 4, 2, 8, 600

    def tables(self, points, truth, windows, rng):
        """Log E and log B of windows (losses x points), from their labels."""
        labels = rng.multinomial(40, [0.6, 0.4], size=windows)
        yes = rng.binomial(labels, truth)
        drop, total, nothing = DropTest("a", "precision", None, 0.0), np.array([40.0]), KnownItems.none(2)
        found = []
        for make, losses, more in (
            (drop.falls_to, EVIDENCE.losses, lambda _: ()),
            (drop.was_better_than, EVIDENCE.baseline_losses, baseline_ends),
        ):
            tests = [make(point) for point in points]
            linear = [linear_test(one, self.CELLS, ()) for one in [*tests, *more(tests[0])]]
            bets = [BettingRound.of(one, self.CELLS, np.array([0.9, 0.7]), nothing, total, total) for one in linear]
            table = np.empty((windows, len(losses), len(points)))
            for row, stake in enumerate(shared_stakes(bets, tests[0], self.CELLS, (), losses).values()):
                for place in range(len(points)):
                    on_yes, on_no, _ = bets[place].log_factors(stake)
                    table[:, row, place] = yes @ on_yes + (labels - yes) @ on_no
            found.append(table)
        return found

    def evidence(self, points, truth, rng):
        """The evidence of many runs after all of their windows."""
        _, before = self.tables(points, self.TRUTH, self.RUNS * self.BEFORE, rng)
        falls, later = self.tables(points, truth, self.RUNS * self.WINDOWS, rng)
        grown = np.clip(np.arange(self.WINDOWS) - 3, 0, self.GROWS)
        for run in range(self.RUNS):
            log_b = before[run * self.BEFORE : (run + 1) * self.BEFORE].sum(axis=0)
            at = run * self.WINDOWS
            yield drop_evidence(falls[at : at + self.WINDOWS], log_b, later[at : at + self.GROWS], grown).value

    def test_at_the_true_value_it_grows_by_one_a_window_at_most(self):
        """A few runs carry much of the mean, so that the mean of so many falls short of it."""
        points = [self.VALUE - 1e-6, self.VALUE + 1e-6]
        found = np.array([*self.evidence(points, self.TRUTH, np.random.default_rng(20260105))])
        bar = found.std() / self.RUNS**0.5
        assert bar < 1
        assert self.WINDOWS / 2 < found.mean() <= self.WINDOWS + 4 * bar

    def test_over_all_values_it_is_less_and_a_fall_is_found(self):
        points, rng = np.linspace(0.6, 0.98, EVIDENCE.grid_points), np.random.default_rng(20260105)
        still = np.array([*self.evidence(points, self.TRUTH, rng)])
        fallen = np.array([*self.evidence(points, self.TRUTH - 0.2, rng)])
        assert still.mean() + 4 * still.std() / self.RUNS**0.5 < self.WINDOWS
        assert (still >= 400).mean() < 0.01
        assert (fallen >= 400).mean() > 0.8
