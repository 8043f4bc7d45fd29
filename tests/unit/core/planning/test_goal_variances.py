"""Margins that follow what a random sample would tell."""

import numpy as np
import pytest

from stratawatch.core.cells import Cells
from stratawatch.core.goals import Goal
from stratawatch.core.planning.expected_rates import expected_at
from stratawatch.core.planning.goal_variances import RandomSampleGoal, goal_variances

SIZES = np.array([900.0, 8000.0, 1000.0, 100.0])
CELLS = Cells.of(("a",), ["1", "0", "0", "-"], SIZES, np.array([0.8, 0.001, 0.02, 0.5]))
FOR = RandomSampleGoal("false_omission_rate", 250)


def margin(rates, cells=CELLS, goal=FOR):
    return float(goal_variances(cells, (goal,), expected_at(cells, np.array(rates))).margins[0])


class TestAsARandomSampleTellsIt:
    def test_is_its_half_width_by_the_expected_rates(self):
        """9,000 of 9,900 judged items are passed, 28 of them positive: n = 250 x 9,000/9,900."""
        share, labels = 28 / 9000, 250 * 9000 / 9900
        expected = 1.959964 * np.sqrt(share * (1 - share) / labels)
        assert margin([0.8, 0.001, 0.02, 0.5]) == pytest.approx(expected)

    def test_four_times_the_labels_halve_it(self):
        rates = [0.8, 0.001, 0.02, 0.5]
        assert margin(rates, goal=RandomSampleGoal("false_omission_rate", 1000)) == pytest.approx(margin(rates) / 2)

    def test_rates_that_expect_too_much_do_not_make_the_goal_look_far_away(self):
        """What the goal adds to the sum of squares hardly changes; that of a margin of one point is ten times as much."""
        plan = np.array([50.0, 150.0, 100.0, 1.0])

        def part(goal, factor):
            rates = expected_at(CELLS, np.array([0.8, 0.001 * factor, 0.02 * factor, 0.5]))
            found = goal_variances(CELLS, (goal,), rates)
            return float((found.coefficients @ (1 / plan[: found.coefficients.shape[1]]))[0] / found.margins[0] ** 2)

        plain = Goal("false_omission_rate", 0.01)
        assert part(FOR, 10) < 1.5 * part(FOR, 1)
        assert part(plain, 10) > 3 * part(plain, 1)

    def test_what_nobody_expects_counts_as_one_item(self):
        assert margin([0.8, 0.0, 0.0, 0.5]) == pytest.approx(margin([0.8, 1 / 8000, 0.0, 0.5]))

    def test_a_classifier_that_passes_nothing_has_the_usual_margin(self):
        cells = Cells.of(("a",), ["1", "1"], np.array([900.0, 100.0]), np.array([0.8, 0.3]))
        assert margin([0.8, 0.3], cells) == 0.01

    def test_is_for_every_classifier(self):
        cells = Cells.of(("a", "b"), ["10", "01", "00"], SIZES[:3], np.array([0.8, 0.3, 0.001]))
        found = goal_variances(cells, (FOR,), expected_at(cells, np.array([0.8, 0.3, 0.001])))
        assert [name for name, _ in found.names] == ["a", "b"]
        assert FOR.is_for("b")
