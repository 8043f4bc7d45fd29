"""What a shared draw saves each classifier, against arithmetic by hand."""

import numpy as np

from benchmarks.papers.tripathi.savings import Saving, savings
from stratawatch.core.estimate import Undefined
from stratawatch.literature.tripathi.mixing import UNIFORM_SAMPLE, UNIFORM_SHUFFLE
from stratawatch.literature.tripathi.pattern_sizes import CallPatterns
from tests.support.panel_draws import draw


class TestSavings:
    def test_the_account_of_a_panel(self):
        made = draw()
        account = savings(made)
        assert account.by_classifier[1] == Saving(60, 0, 0)
        assert account.draws == 180
        assert account.labels == made.labels == made.totals.sum()
        assert account.collective == 1 - made.labels / 180

    def test_new_items_and_the_parents_add_up_if_children_share_none_by_chance(self):
        patterns = CallPatterns.of(["100", "010", "001"], np.array([10**6] * 3), 3)
        account = savings(draw(patterns=patterns, parent=0))
        assert [saving.new for saving in account.by_classifier] == [0, 60, 60]
        assert [saving.saved for saving in account.by_classifier] == [0, 0, 0]
        assert account.labels == 180

    def test_equal_classifiers_need_the_parents_labels_only(self):
        patterns = CallPatterns.of(["00", "11"], np.array([10**6] * 2), 2)
        account = savings(draw((60, 60), 0, patterns=patterns))
        assert account.by_classifier[1] == Saving(60, 60, 0)
        assert account.by_classifier[1].share == 1.0
        assert account.collective == 0.5

    def test_sampling_again_needs_fewer_labels_than_its_length_says(self):
        wide = CallPatterns.of(["110", "010", "101"], np.array([10**6] * 3), 3)
        shuffled, sampled = (
            savings(draw((2000, 2000, 0), 0, option, patterns=wide)).by_classifier[1]
            for option in (UNIFORM_SHUFFLE, UNIFORM_SAMPLE)
        )
        assert shuffled.new == shuffled.draws - shuffled.saved
        assert sampled.new < 0.75 * (sampled.draws - sampled.saved)

    def test_of_no_draws_nothing_is_known(self):
        account = savings(draw((0, 0, 0)))
        assert isinstance(account.collective, Undefined)
        assert isinstance(account.by_classifier[0].share, Undefined)
