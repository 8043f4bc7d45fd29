"""What every metric must do, and what each does in its degenerate cases."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from stratawatch.core.estimation.interval import metric_intervals
from stratawatch.core.estimation.side_intervals import SideIntervals
from stratawatch.core.estimation.sides import SideEstimates
from stratawatch.core.estimation.undefined import is_defined, undefined_reason
from stratawatch.core.metrics import (
    BASELINES_REPORTED,
    METRICS,
    REPORTED,
    ConfusionCounts,
    RatioMetric,
    SideTotals,
    baseline_metric,
    baseline_names,
    metric_named,
)
from stratawatch.errors import StratawatchError
from tests.support.closed_forms import closed_form
from tests.support.sides import sides


def outcome(name, made, confidence=0.95):
    found = metric_intervals(METRICS[name], SideIntervals(made, confidence))
    return float(found.value), float(found.low), float(found.high)


def why(name, made):
    return None if is_defined(METRICS[name], made) else undefined_reason(METRICS[name], made, ())


CENSUS = sides(sizes=(50, 100), labels=(50, 100), yes=(40, 3))
counts = st.integers(1, 40)
CALLS = np.array([True, True, True, False, False, False, False])
TRUTH = np.array([True, True, False, True, False, False, False])


def test_those_of_reports_are_first():
    assert REPORTED == ("precision", "recall", "false_omission_rate")
    assert tuple(METRICS)[: len(REPORTED)] == REPORTED


@pytest.mark.parametrize("name", METRICS)
class TestEveryMetric:
    @settings(deadline=None)  # the first example imports SciPy
    @given(counts, counts, counts, counts)
    def test_a_census_is_the_closed_form_and_exact(self, name, tp, fp, fn, tn):
        made = sides(sizes=(tp + fp, fn + tn), labels=(tp + fp, fn + tn), yes=(tp, fn))
        assert outcome(name, made) == pytest.approx((closed_form(name, tp, fp, fn, tn),) * 3)

    def test_gradient_is_the_derivative_of_its_value(self, name):
        """The gradient times a small change of the labels is the change of the metric."""
        positive = np.array([True, True, False, False, False])
        negative = np.array([False, False, True, True, False])
        sizes, rates = np.array([300.0, 200.0, 1000.0, 8000.0, 50.0]), np.array([0.9, 0.5, 0.1, 0.002, 0.7])
        gradient = METRICS[name].gradient(positive, negative, sizes, rates)

        def value(rates):
            of = [float(sizes @ side) for side in (positive, negative)]
            yes = [float((sizes * rates) @ side) for side in (positive, negative)]
            return float(METRICS[name].value(SideTotals(*(np.array(number) for number in (*of, *yes)))))

        for cell in range(5):
            step = np.eye(5)[cell] * 1e-5
            derivative = (value(rates + step) - value(rates - step)) / 2e-5
            assert sizes[cell] * gradient[cell] == pytest.approx(derivative, rel=1e-4, abs=1e-9)

    def test_gradient_of_nothing_is_nothing(self, name):
        nobody = np.array([False])
        assert METRICS[name].gradient(nobody, nobody, np.array([10.0]), np.array([0.5])).tolist() == [0.0]

    @settings(deadline=None)  # the first example imports SciPy
    @given(
        sizes=st.tuples(st.integers(0, 10**5), st.integers(0, 10**6)),
        labels=st.tuples(st.floats(0, 1), st.floats(0, 1)),
        yes=st.tuples(st.floats(0, 1), st.floats(0, 1)),
        moved=st.tuples(st.floats(0, 1), st.floats(0, 1)),
        spread=st.tuples(st.floats(0, 0.5), st.floats(0, 0.5)),
        confidence=st.sampled_from([0.5, 0.95, 0.9999]),
    )
    @example(sizes=(1, 1), labels=(0, 0), yes=(0, 0), moved=(5e-324, 5e-324), spread=(0.1, 0.1), confidence=0.95)
    @example(sizes=(0, 1), labels=(0, 0), yes=(0, 0), moved=(0, 1e-200), spread=(0.1, 0.1), confidence=0.95)
    def test_holds_its_value_between_zero_and_one(self, name, sizes, labels, yes, moved, spread, confidence):
        """Whatever the labels were: estimates anywhere that the observed allows, any variance, any weight."""
        size = np.array(sizes, dtype=float)
        n = np.floor(size * labels)
        k = np.floor(n * yes)
        totals = k + (size - n) * np.array(moved)
        aa, bb = (size * np.array(spread)) ** 2 * (n < size)
        form, weights = np.array([aa, -0.3 * (aa * bb) ** 0.5, bb]), np.where(n < size, size / np.maximum(n, 1), 0.0)
        made = SideEstimates(
            size, totals, n, k, weights, 0 * size, form, form, np.zeros(2), np.array(weights.max()), weights
        )
        value, low, high = outcome(name, made, confidence)
        assert 0 <= low <= value <= high <= 1

    def test_more_confidence_is_never_a_narrower_interval(self, name):
        for labels, yes in (((50, 100), (40, 2)), ((500, 900), (300, 200))):
            _, low, high = outcome(name, sides(labels=labels, yes=yes), 0.95)
            _, lower, higher = outcome(name, sides(labels=labels, yes=yes), 0.999)
            assert lower < low
            assert high < higher

    def test_never_denies_what_was_observed(self, name):
        """100 of 120 items and 90 of 100 are known: what the rest could still change bounds the interval."""
        made = sides(sizes=(120, 100), labels=(100, 90), yes=(50, 40), variance=(1e4, 1e4))
        _, low, high = outcome(name, made)
        corners = [closed_form(name, 50 + a, 70 - a, 40 + b, 60 - b) for a in (0, 20) for b in (0, 10)]
        assert min(corners) - 1e-12 <= low
        assert high <= max(corners) + 1e-12

    def test_is_undefined_without_labels(self, name):
        assert why(name, sides(labels=(0, 0), yes=(0, 0))).startswith("no label among the ")

    def test_is_undefined_when_too_much_is_unseen(self, name):
        assert "are in groups without a label; at most 10% may be" in why(name, sides(unseen=(101, 1001)))

    def test_bears_a_tenth_unseen(self, name):
        assert why(name, sides(unseen=(100, 1000))) is None

    def test_is_undefined_when_it_judged_nothing(self, name):
        assert why(name, sides(sizes=(0, 0), labels=(0, 0), yes=(0, 0))).startswith(("it judged no", "it calls no"))

    def test_has_words_and_a_margin(self, name):
        metric = METRICS[name]
        assert metric.name == name
        assert metric.title
        assert 0 < metric.default_margin < 0.2

    def test_has_a_domain_that_its_sides_make_up(self, name):
        domain = METRICS[name].denominator_size(100.0, 900.0, 60.0)
        if name == "f1":
            assert domain is None
        else:
            assert 0 < domain.size <= 1000


@pytest.mark.parametrize(
    ("name", "made", "reason"),
    [
        ("precision", {"sizes": (0, 10), "labels": (0, 5), "yes": (0, 1)}, "it calls no item positive"),
        ("false_omission_rate", {"sizes": (10, 0), "labels": (5, 0), "yes": (4, 0)}, "it calls no item negative"),
        ("recall", {"yes": (0, 0)}, "no positive among the 150 labels"),
        ("recall", {"labels": (50, 0), "yes": (40, 0)}, "no label among the 10,000 items it calls negative"),
        ("specificity", {"yes": (50, 100)}, "no negative among the 150 labels"),
        ("f1", {"yes": (0, 0)}, None),  # as long as something is called positive
        ("f1", {"sizes": (0, 1000), "labels": (0, 50), "yes": (0, 0)}, "no positive among the 50 labels"),
    ],
)
def test_what_is_undefined_says_why(name, made, reason):
    assert why(name, sides(**made)) == reason


class TestPrecision:
    def test_the_labels_of_negatives_do_not_matter(self):
        assert outcome("precision", sides(labels=(50, 0), yes=(40, 0))) == outcome("precision", sides())


class TestFalseOmissionRate:
    def test_none_found_is_an_upper_bound_and_not_plus_minus_zero(self):
        value, low, high = outcome("false_omission_rate", sides(yes=(40, 0)))
        assert value == low == 0
        assert high == pytest.approx(3.10 / 100, rel=0.03)
        _, _, highest = outcome("false_omission_rate", sides(yes=(40, 0)), 0.99)
        assert highest == pytest.approx(5.30 / 100, rel=0.03)


class TestNegativePredictiveValue:
    @pytest.mark.parametrize("yes", [0, 2, 30, 100])
    def test_is_the_false_omission_rate_turned_over(self, yes):
        value, low, high = outcome("negative_predictive_value", sides(yes=(40, yes)))
        mirrored = outcome("false_omission_rate", sides(yes=(40, yes)))
        assert (1 - value, 1 - high, 1 - low) == pytest.approx(mirrored, abs=1e-9)


class TestRecall:
    def test_is_zero_when_nothing_is_called_positive_and_there_are_positives(self):
        assert outcome("recall", sides(sizes=(0, 1000), labels=(0, 50), yes=(0, 2))) == (0.0, 0.0, 0.0)

    def test_is_one_when_everything_is_called_positive(self):
        assert outcome("recall", sides(sizes=(1000, 0), labels=(50, 0), yes=(40, 0))) == (1.0, 1.0, 1.0)

    def test_without_misses_found_the_upper_end_is_one_and_the_lower_is_not(self):
        value, low, high = outcome("recall", sides(yes=(40, 0)))
        assert value == high == 1.0
        assert 0.5 < low < 1

    def test_without_hits_found_the_lower_end_is_zero_and_the_upper_is_not(self):
        value, low, high = outcome("recall", sides(yes=(0, 10)))
        assert value == low == 0.0
        assert 0 < high < 0.6


class TestSpecificity:
    def test_is_recall_with_yes_and_no_turned_over(self):
        """What is called negative and is negative becomes what is called positive and is positive."""
        value, low, high = outcome("specificity", sides(yes=(40, 2)))
        turned = sides(sizes=(10_000, 1000), labels=(100, 50), yes=(98, 10), weights=(100, 20))
        assert (value, low, high) == pytest.approx(outcome("recall", turned), abs=1e-6)


class TestF1:
    def test_is_zero_where_calls_are_never_right(self):
        value, low, high = outcome("f1", sides(yes=(0, 10)))
        assert value == low == 0
        assert 0 < high < 0.2


class TestAccuracy:
    def test_right_and_wrong_calls_are_counted_on_both_sides(self):
        """(800 + 9800)/11000."""
        assert outcome("accuracy", sides())[0] == pytest.approx(10_600 / 11_000)

    def test_errors_that_hide_in_many_negatives_are_not_ruled_out(self):
        """No error found: 50 labels stand for 1,000 items each 20, and 100 for 10,000 each 100."""
        value, low, _ = outcome("accuracy", sides(yes=(50, 0)))
        assert value == 1
        assert 0.955 < low < 0.97


class TestPrevalence:
    def test_counts_positives_of_both_sides(self):
        assert outcome("prevalence", sides())[0] == pytest.approx(1000 / 11_000)


class TestConfusionCounts:
    def test_each_item_is_one_of_four(self):
        assert np.array(ConfusionCounts.by_item(CALLS, TRUTH)).sum(axis=0).tolist() == [1] * 7

    def test_by_hand(self):
        assert [int(n) for n in ConfusionCounts.of_calls(CALLS, TRUTH)] == [2, 1, 1, 3]

    def test_unequal_lengths_are_refused(self):
        with pytest.raises(StratawatchError, match=r"do not belong together; .* got 7 calls and 6 truths"):
            ConfusionCounts.of_calls(CALLS, TRUTH[1:])


class TestShares:
    @pytest.mark.parametrize(
        ("metric", "hits", "members", "lacking"),
        [
            ("precision", 2, 3, "no labelled item is called positive"),
            ("recall", 2, 3, "no labelled item is positive"),
            ("false_omission_rate", 1, 4, "no labelled item is called negative"),
            ("f1", 2, 4, "no labelled item is positive or called so"),
            ("accuracy", 5, 7, "there are no labelled items"),
            ("specificity", 3, 4, "no labelled item is negative"),
            ("negative_predictive_value", 3, 4, "no labelled item is called negative"),
            ("prevalence", 3, 7, "there are no labelled items"),
        ],
    )
    def test_by_hand(self, metric, hits, members, lacking):
        found = METRICS[metric]
        assert [int(n) for n in found.share(ConfusionCounts.of_calls(CALLS, TRUTH))] == [hits, members]
        assert found.no_members == lacking

    def test_of_many_runs_at_once(self):
        runs = ConfusionCounts(*(np.array(counts) for counts in ([2.0, 0], [1.0, 0], [1.0, 5], [3.0, 5])))
        assert [part.tolist() for part in METRICS["precision"].share(runs)] == [[2, 0], [3, 0]]

    @given(counts, counts, counts, counts)
    def test_tell_the_metric(self, tp, fp, fn, tn):
        outcomes = (tp, fp, fn, tn)
        said = ConfusionCounts(*(np.array(float(n)) for n in outcomes))
        for name, metric in METRICS.items():
            hits, members = metric.share(said)
            assert float(metric.of_share(hits / members)) == pytest.approx(closed_form(name, *outcomes))

    def test_baselines_are_of_plain_shares_that_depend_on_the_calls(self):
        assert set(METRICS) - set(baseline_names()) == {"f1", "prevalence"}
        assert set(BASELINES_REPORTED) <= set(baseline_names())
        for name in ("f1", "f7"):
            with pytest.raises(StratawatchError, match=f"no baseline of '{name}'; expected one of precision, recall"):
                baseline_metric(name)


class TestOtherMetrics:
    """Shapes that none of the eight has."""

    def test_unequal_errors_are_no_share_but_have_a_value_a_gradient_and_an_interval(self):
        f2 = RatioMetric("f2", "F2", (5, 0, 0, 0), (5, 1, 4, 0), 0.04)
        totals = SideTotals(*(np.array(float(n)) for n in (100, 900, 80, 20)))
        assert (f2.share_odds, f2.is_listed, f2.sides, f2.odds) == (None, False, (0, 1), None)
        assert f2.no_members == "no labelled item is positive or called so"
        assert f2.denominator_size(100, 900, 100) is None
        assert float(f2.value(totals)) == pytest.approx(400 / (400 + 20 + 80))
        on_a, on_b = (float(slope) for slope in f2.slopes(totals))
        up_a, up_b = (f2.value(totals._replace(**{side: getattr(totals, side) + 1e-5})) for side in ("tp", "fn"))
        assert (on_a, on_b) == pytest.approx(((up_a - 0.8) / 1e-5, (up_b - 0.8) / 1e-5), rel=1e-4)
        low, high = (float(end) for end in SideIntervals(sides(), 0.95).small_sample_ends(f2))
        assert 0 < low < float(f2.value(sides().table)) < high < 1

    def test_the_share_of_wrong_calls_is_accuracy_turned_over(self):
        errors = RatioMetric("error_rate", "error rate", (0, 1, 1, 0), (1, 1, 1, 1), 0.02, lower_is_better=True)
        made = SideIntervals(sides(), 0.95)
        (low, high), accuracy = made.small_sample_ends(errors), made.small_sample_ends(METRICS["accuracy"])
        assert (float(low), float(high)) == pytest.approx((1 - float(accuracy.high), 1 - float(accuracy.low)))
        assert errors.small_sample_interval == "FF/MID"

    def test_the_miss_rate_is_recall_turned_over(self):
        misses = RatioMetric("miss_rate", "miss rate", (0, 0, 1, 0), (1, 0, 1, 0), 0.05, lower_is_better=True)
        made = SideIntervals(sides(yes=(40, 5)), 0.95)
        (low, high), recall = made.small_sample_ends(misses), made.small_sample_ends(METRICS["recall"])
        assert (float(low), float(high)) == pytest.approx((1 - float(recall.high), 1 - float(recall.low)), abs=1e-6)
        assert misses.small_sample_interval == "MOVER-R on FF/MID"

    @pytest.mark.parametrize(
        ("numerator", "denominator"),
        [((2, 0, 0, 0), (1, 1, 0, 0)), ((1, 1, 0, 0), (1, 1, 1, 1)), ((-1, 0, 0, 0), (1, 1, 0, 0))],
        ids=["more than its denominator", "calls alone decide", "below zero"],
    )
    def test_what_is_no_metric_of_labels_is_refused(self, numerator, denominator):
        with pytest.raises(StratawatchError, match="'odd' is no metric that labels tell"):
            RatioMetric("odd", "odd", numerator, denominator, 0.05)


def test_an_unknown_metric_is_named_with_those_that_exist():
    with pytest.raises(StratawatchError, match="no metric 'recal'; expected one of precision, recall"):
        metric_named("recal")
