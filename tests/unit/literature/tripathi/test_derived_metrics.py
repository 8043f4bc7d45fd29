import numpy as np
import pytest

from stratawatch.core.estimate import IntervalEstimate, Undefined
from stratawatch.errors import PlanImpossible, StratawatchError
from stratawatch.literature.tripathi.derived_metrics import DerivedMetrics
from stratawatch.literature.tripathi.false_omission import allocate_omission_labels, false_omission_rate
from stratawatch.literature.tripathi.panel_draw import draw_panel
from stratawatch.literature.tripathi.pattern_sizes import CallPatterns
from stratawatch.literature.tripathi.precisions import PrecisionEstimates, estimate_precisions
from stratawatch.literature.tripathi.share_estimate import ShareEstimate
from tests.support.tripathi_answers import PANEL, YES, answers

TWO = CallPatterns.of(["00", "10", "11", "01"], np.array([900, 20, 60, 20]), 2)


def of(p, covariance=None, omission=0.02, variance=1e-5, patterns=TWO, parent=0):
    rates = tuple(ShareEstimate(value, 4e-4, max(value * (1 - value) / 4e-4, 100.0)) for value in p)
    matrix = np.full((2, 2), 2e-4) if covariance is None else np.array(covariance)
    np.fill_diagonal(matrix, 4e-4)
    half = 1.959964 * variance**0.5
    outcome = IntervalEstimate(omission, max(0.0, omission - half), omission + half, 1000.0)
    return DerivedMetrics(patterns, parent, PrecisionEstimates(rates, matrix), outcome)


class TestFalseOmission:
    def test_weighted_by_strata(self):
        """.9 x 1/90 + .1 x 4/10 = .05"""
        assert false_omission_rate(*np.array([[900, 100], [90, 10], [1, 4]])).value == pytest.approx(0.05)

    def test_no_miss_found_is_no_certainty(self):
        rate = false_omission_rate(*np.array([[900, 100], [90, 10], [0, 0]]))
        assert rate.value == 0
        assert 0.01 < rate.high < 0.06

    def test_a_census_is_exact(self):
        rate = false_omission_rate(*np.array([[9, 10], [9, 10], [1, 4]]))
        assert rate == IntervalEstimate(5 / 19, 5 / 19, 5 / 19, 19)

    def test_a_small_stratum_without_a_label_is_as_the_others(self):
        assert false_omission_rate(*np.array([[900, 50], [90, 0], [9, 0]])).value == pytest.approx(0.1)

    def test_a_large_one_is_not(self):
        reason = false_omission_rate(*np.array([[800, 200], [90, 0], [9, 0]])).reason
        assert reason == "20% of the items it calls negative are in groups without a label; at most 10% may be"

    @pytest.mark.parametrize(
        ("sizes", "words"), [([0, 0], "it calls no item negative"), ([4, 4], "no label among the 8")]
    )
    def test_without_items_or_labels_it_is_undefined(self, sizes, words):
        assert false_omission_rate(np.array(sizes), np.zeros(2), np.zeros(2)).reason.startswith(words)

    @pytest.mark.parametrize(("labels", "yes"), [([5, 5], [6, 0]), ([950, 5], [0, 0]), ([5, 5], [-1, 0])])
    def test_counts_that_contradict_one_another_are_refused(self, labels, yes):
        with pytest.raises(StratawatchError, match="counts contradict one another"):
            false_omission_rate(np.array([900, 100]), np.array(labels), np.array(yes))


class TestOmissionTotals:
    def test_half_by_size_and_half_evenly(self):
        """100 x (.9, .1) and 100 x (.5, .5)."""
        assert allocate_omission_labels(np.array([9000, 1000]), np.zeros(2), 200).tolist() == [140, 60]

    def test_what_is_drawn_counts_and_stays(self):
        assert allocate_omission_labels(np.array([9000, 1000]), np.array([0, 90]), 200).tolist() == [110, 90]

    def test_small_strata_are_exhausted_and_empty_ones_left(self):
        assert allocate_omission_labels(np.array([900, 3, 0, 1]), np.zeros(4), 100).tolist() == [96, 3, 0, 1]

    def test_fewer_labels_than_two_of_each_are_refused(self):
        assert allocate_omission_labels(np.array([900, 300, 1]), np.zeros(3), 5).tolist() == [2, 2, 1]
        with pytest.raises(PlanImpossible, match="4 labels are too few for 3 strata"):
            allocate_omission_labels(np.array([900, 300, 1]), np.zeros(3), 4)


class TestRecall:
    def test_of_the_parent_and_of_the_other(self):
        """T = .8 x 80 = 64 and .5 x 80 = 40; P = 64 + .02 x 920 = 82.4."""
        made = of((0.8, 0.5))
        assert made.recall(0).result.value == pytest.approx(64 / 82.4)
        assert made.recall(1).result.value == pytest.approx(40 / 82.4)

    def test_the_ratio_of_recalls_is_that_of_the_totals(self):
        made = of((0.8, 0.5))
        ratio = made.recall(1).result.value / made.recall(0).result.value
        assert ratio == pytest.approx(0.5 * 80 / (0.8 * 80))

    def test_the_more_two_precisions_hang_together_the_narrower(self):
        apart, together = (of((0.8, 0.5), [[0, c], [c, 0]]).recall(1).result for c in (0.0, 3e-4))
        assert together.half_width < apart.half_width

    def test_the_upper_end_by_hand(self):
        """T_c = 40, T_1 = 64, F = 18.4; variances 80^2 4e-4 = 2.56, covariance 1.28; F's lower end joins on the log scale."""
        r = 40 / 82.4
        relative = 2.56 / 40**2 - 2 * 1.28 / (40 * 82.4) + 2.56 / 82.4**2
        fewest = (0.02 - 1.959964 * 1e-5**0.5) * 920
        expected = r * np.exp(np.hypot(1.959964 * relative**0.5, np.log(82.4 / (64 + fewest))))
        assert of((0.8, 0.5)).recall(1).result.high == pytest.approx(expected, rel=1e-6)

    def test_what_is_only_missed_is_carried_through(self):
        """With precisions known, r_1 ends where F does."""
        made = of((0.8, 0.5))
        exact = PrecisionEstimates(made.precisions.shares, np.zeros((2, 2)))
        outcome = DerivedMetrics(TWO, 0, exact, IntervalEstimate(0.02, 0.01, 0.04, 1000.0)).recall(0).result
        assert outcome.low == pytest.approx(64 / (64 + 0.04 * 920))
        assert outcome.high == pytest.approx(64 / (64 + 0.01 * 920))

    def test_more_than_everything_is_clipped_and_said(self):
        made = of((0.4, 0.5), omission=0.005).recall(1)
        assert made.result.value == made.result.high == 1
        assert 0 < made.result.low < 1
        assert made.note == f"{40 / 36.6:.4f} was clipped to 1"

    def test_far_more_than_everything_says_nothing(self):
        outcome = of((0.3, 0.9), omission=0.01).recall(1).result
        assert outcome.reason == "its labels and the parent's contradict each other: their totals make it 2.1687"

    def test_a_parent_that_missed_nothing(self):
        made = of((0.8, 0.5), omission=0.0).recall(0)
        assert (made.result.value, made.note) == (1.0, "")
        assert made.result.low < 0.999

    def test_no_positive_among_the_labels(self):
        assert of((0.0, 0.5), omission=0.0).recall(1).result == Undefined(
            "no positive item among the labels of the parent"
        )

    def test_no_positive_of_its_own_leaves_an_upper_bound(self):
        outcome = of((0.8, 0.0)).recall(1).result
        assert outcome.low == outcome.value == 0
        assert 0 < outcome.high < 0.2


class TestFalseOmissionOfOthers:
    def test_from_the_totals(self):
        """(82.4 - 40)/920"""
        assert of((0.8, 0.5)).false_omission_rate(1).result.value == pytest.approx(42.4 / 920)

    def test_the_parents_is_its_own(self):
        assert of((0.8, 0.5)).false_omission_rate(0).result.value == 0.02

    def test_less_than_nothing_is_clipped_and_said(self):
        made = of((0.8, 0.85), omission=0.002, variance=1e-5).false_omission_rate(1)
        assert made.result.value == made.result.low == 0
        assert made.result.high > 0
        assert made.note == f"{(64 + 0.002 * 920 - 68) / 920:.4f} was clipped to 0"

    def test_labels_that_contradict_each_other_say_nothing(self):
        outcome = of((0.3, 0.9), omission=0.0, variance=1e-8).false_omission_rate(1).result
        assert outcome.reason.startswith("its labels and the parent's contradict each other")

    def test_who_calls_everything_positive_has_none(self):
        patterns = CallPatterns.of(["01", "11"], np.array([50, 60]), 2)
        assert of((0.8, 0.5), patterns=patterns).false_omission_rate(1).result == Undefined("it calls no item negative")


class TestNoInformation:
    def without(self, **parts):
        whole = of((0.8, 0.5))
        rates = parts.get("rates", whole.precisions.shares)
        return DerivedMetrics(
            TWO, 0, PrecisionEstimates(rates, whole.precisions.covariance), parts.get("omission", whole.omission)
        )

    def test_without_the_parents_false_omission_rate(self):
        made = self.without(omission=Undefined("no label"))
        assert made.recall(1).result.reason == "the false-omission rate of the parent is not known: no label"
        assert made.false_omission_rate(0).result == Undefined("no label")
        assert isinstance(made.precision(1), IntervalEstimate)

    def test_without_a_precision(self):
        made = self.without(rates=(of((0.8, 0.5)).precisions.shares[0], Undefined("no label")))
        assert made.recall(1).result == made.false_omission_rate(1).result == made.precision(1) == Undefined("no label")
        assert isinstance(made.recall(0).result, IntervalEstimate)

    def test_without_the_parents_precision(self):
        made = self.without(rates=(Undefined("no label"), of((0.8, 0.5)).precisions.shares[1]))
        assert made.recall(1).result == Undefined("the precision of the parent is not known: no label")

    def test_of_items_that_only_one_of_them_judged(self):
        patterns = CallPatterns.of(["00", "10", "11", "-1"], np.array([900, 20, 60, 2000]), 2)
        made = of((0.8, 0.5), patterns=patterns)
        assert made.recall(1).result == Undefined("2,000 items were judged by only one of it and the parent")
        assert isinstance(made.recall(0).result, IntervalEstimate)


def test_recalls_and_false_omission_rates_cover():
    """Draws of a population: 1,200 of them, 95% intervals, the parent's FOR from 600 labels in its B."""
    rng, runs = np.random.default_rng(23), 1200
    beyond = ~PANEL.positive[:, 1]
    sizes, yes = PANEL.sizes[beyond], YES[beyond]
    labels = np.array([400, 50, 50])
    found, positives = YES @ PANEL.positive, YES.sum()
    recall, omission = found / positives, (positives - found) / PANEL.called_negative
    covered = np.zeros((2, 3))
    for _ in range(runs):
        draw = draw_panel(PANEL, np.full(3, 300), 1, rng)
        f = false_omission_rate(sizes, labels, rng.hypergeometric(yes, sizes - yes, labels))
        made = DerivedMetrics(PANEL, 1, estimate_precisions(draw, answers(draw, rng)), f)
        for c in range(3):
            found = [made.recall(c).result, made.false_omission_rate(c).result]
            covered[:, c] += [
                one.low <= truth <= one.high for one, truth in zip(found, (recall[c], omission[c]), strict=True)
            ]
    assert (covered / runs).min() > 0.93
