import numpy as np
import pytest
from scipy.stats import binom

from stratawatch.core.estimate import Undefined
from stratawatch.core.estimation.differences import compare_classifiers
from stratawatch.core.metrics import METRICS
from stratawatch.errors import StratawatchError
from tests.support.closed_forms import closed_form
from tests.support.every_draw import Small, mixed
from tests.support.two_classifiers import letters, two_classifiers

REPEATS = 200


def truth(small: Small, name: str, place: int) -> float:
    cells = small.cells
    called = cells.positive[:, place][small.atoms]
    tp, fn = float(small.labels[called].sum()), float(small.labels[~called].sum())
    fp, tn = float(called.sum()) - tp, float((~called).sum()) - fn
    return closed_form(name, tp, fp, fn, tn)


class TestSameItems:
    @pytest.mark.parametrize("name", METRICS)
    def test_a_census_is_the_true_difference_and_exact(self, name):
        small = two_classifiers()
        found = compare_classifiers(small.cells, small.labelled(np.arange(len(small.labels))), "a", "b", name).result
        expected = truth(small, name, 0) - truth(small, name, 1)
        assert (found.value, found.low, found.high) == pytest.approx((expected,) * 3, abs=1e-9)

    @pytest.mark.parametrize("name", METRICS)
    def test_a_classifier_does_not_differ_from_itself(self, name):
        small = mixed()
        drawn = small.random_draw((6, 3, 1), np.random.default_rng(2))
        found = compare_classifiers(small.cells, small.labelled(drawn), "a", "a", name).result
        assert (found.value, found.low, found.high) == (0, 0, 0)

    @pytest.mark.parametrize("name", METRICS)
    def test_turned_round_it_changes_its_sign(self, name):
        small = two_classifiers()
        known = small.labelled(small.random_draw((40, 20, 20, 30, 40, 60), np.random.default_rng(2)))
        one, two = (compare_classifiers(small.cells, known, *pair, name).result for pair in (("a", "b"), ("b", "a")))
        assert (one.value, one.low, one.high) == pytest.approx((-two.value, -two.high, -two.low), abs=1e-9)

    def test_what_both_miss_alike_does_not_widen_it(self):
        """A false-omission rate of either is known to some .01; their difference ten times better."""
        small = two_classifiers()
        known = small.labelled(small.random_draw((30, 40, 40, 30, 30, 30), np.random.default_rng(2)))
        found = compare_classifiers(small.cells, known, "a", "b", "false_omission_rate").result
        assert found.half_width < 0.003

    def test_says_whose_metric_cannot_be_told(self):
        small = Small.of(["10", "00"], [0.9, 0.1], [0, 1], letters((10, 8), (50, 3)))
        known = small.labelled(small.random_draw((5, 10), np.random.default_rng(2)))
        found = compare_classifiers(small.cells, known, "a", "b", "precision")
        assert found.result == Undefined("b: it calls no item positive")
        assert found.classifier == "a - b"

    def test_counts_the_labels_that_serve_either(self):
        """Strata 0, 1 and 2 hold what one of them calls positive."""
        small = two_classifiers()
        known = small.labelled(small.random_draw((30, 41, 42, 30, 30, 30), np.random.default_rng(2)))
        assert compare_classifiers(small.cells, known, "a", "b", "precision").labels_used == 30 + 41 + 42

    def test_an_unknown_classifier_is_named_with_those_that_exist(self):
        small = mixed()
        with pytest.raises(StratawatchError, match="no classifier 'c'; expected one of a, b"):
            compare_classifiers(small.cells, small.labelled(np.arange(4)), "a", "c", "recall")


@pytest.fixture(scope="module")
def cycles():
    small, rng = two_classifiers(), np.random.default_rng(8)
    return small, [small.labelled(small.random_draw((30, 25, 25, 30, 40, 40), rng)) for _ in range(REPEATS)]


class TestCoverage:
    @pytest.mark.parametrize("name", ["precision", "recall", "false_omission_rate", "f1", "accuracy"])
    def test_intervals_hold_the_true_difference_and_are_not_needlessly_wide(self, cycles, name):
        small, known = cycles
        found = [compare_classifiers(small.cells, one, "a", "b", name).result for one in known]
        expected = truth(small, name, 0) - truth(small, name, 1)
        hits = sum(one.low <= expected <= one.high for one in found)
        assert hits >= binom.ppf(0.001, REPEATS, 0.95)
        spread = np.std([one.value for one in found])
        assert np.mean([one.half_width for one in found]) < 1.4 * 1.96 * spread
