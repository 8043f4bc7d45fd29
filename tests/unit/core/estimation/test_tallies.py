import numpy as np
import pytest

from stratawatch.core.cells import Cells
from stratawatch.core.estimation.tallies import model_variance, population_tally, segment_tally


def cells(patterns, scores, sizes):
    names = tuple("abc"[: len(patterns[0])])
    return Cells.of(names, patterns, np.array(sizes, dtype=float), np.array(scores, dtype=float))


def columns(*rows):
    return [np.array(row, dtype=float) for row in rows]


class TestMerging:
    made = cells(["1", "1", "1", "0"], [0.6, 0.7, 0.9, 0.72], [100, 200, 300, 400])

    def test_a_cell_without_an_answer_joins_its_nearest_neighbour_in_score(self):
        answered, yes, model = columns([5, 0, 5, 5], [2, 0, 4, 0], [0.25, 0.25, 0.09, 0.1])
        tally = population_tally(self.made, answered, yes, model)
        assert tally.sizes.tolist() == [300, 0, 300, 400]

    def test_never_joins_another_pattern(self):
        answered, yes, model = columns([0, 0, 0, 5], [0, 0, 0, 1], [0.2] * 4)
        assert population_tally(self.made, answered, yes, model).sizes.tolist() == [100, 200, 300, 400]

    def test_items_without_a_score_have_no_neighbour(self):
        made = cells(["1", "1"], [np.nan, 0.7], [100, 200])
        answered, yes, model = columns([0, 5], [0, 2], [0.2] * 2)
        assert population_tally(made, answered, yes, model).sizes.tolist() == [100, 200]

    def test_the_merged_cell_has_the_mean_model_variance_of_its_items(self):
        answered, yes, model = columns([5, 0, 5, 5], [5, 0, 4, 0], [0.25, 0.10, 0.09, 0.1])
        """Cell 0: v0 = (100 x .25 + 200 x .10)/300 = .15; p = 1, so (4 x .15 + 0)/(3 + 5) = .075."""
        assert population_tally(self.made, answered, yes, model).smooth[0] == pytest.approx(0.075)


class TestSegments:
    def test_a_label_stands_for_no_more_items_than_a_label_of_its_atom(self):
        made = cells(["1", "1"], [0.6, 0.9], [1000, 2000])
        everywhere, inside, yes, model = columns([10, 20], [1, 4], [0, 1], [0.2, 0.2])
        tally = segment_tally(made, np.array([300.0, 500.0]), inside, yes, model, everywhere)
        assert tally.stands_for.tolist() == [100, 100]

    def test_a_merged_cell_takes_the_heavier_label(self):
        made = cells(["1", "1"], [0.6, 0.9], [1000, 2000])
        everywhere, inside, yes, model = columns([5, 20], [0, 4], [0, 1], [0.2, 0.2])
        tally = segment_tally(made, np.array([300.0, 500.0]), inside, yes, model, everywhere)
        assert tally.sizes.tolist() == [0, 800]
        assert tally.stands_for[1] == 200

    def test_cells_outside_the_segment_are_nothing(self):
        made = cells(["1", "0"], [0.6, 0.1], [1000, 2000])
        everywhere, inside, yes, model = columns([5, 20], [3, 0], [1, 0], [0.2, 0.2])
        tally = segment_tally(made, np.array([300.0, 0.0]), inside, yes, model, everywhere)
        assert tally.sizes.tolist() == [300, 0]
        assert tally.stands_for[1] == 0


class TestModelVariance:
    made = cells(["1", "1", "0", "0"], [0.9, 0.6, 0.2, 0.01], [100, 200, 300, 4000])

    def test_is_largest_without_labels(self):
        nothing = np.zeros(4)
        assert model_variance(self.made, nothing, nothing).tolist() == [0.25] * 4

    def test_follows_the_labels(self):
        answered, yes = columns([200, 200, 200, 200], [190, 110, 30, 1])
        variance = model_variance(self.made, answered, yes)
        assert variance[1] > variance[0] > variance[3]
        assert variance[2] > variance[3]

    @pytest.mark.parametrize("share", [0, 1])
    def test_labels_that_all_agree_leave_some_variance(self, share):
        answered = np.full(4, 50.0)
        variance = model_variance(self.made, answered, answered * share)
        assert variance.min() >= 0.001 * 0.999 * 0.999
        assert variance.max() < 0.06
