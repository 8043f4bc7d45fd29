import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratawatch.core.baselines.baseline_evidence import BaselineShare
from stratawatch.core.baselines.baseline_from_estimates import MIN_WINDOWS, baseline_from_estimates, labels_for_length
from stratawatch.core.estimate import Estimate, IntervalEstimate, Undefined
from stratawatch.errors import StratawatchError


def estimate(value=0.8, half=0.05, labels=250, metric="precision", confidence=0.95):
    outcome = (
        Undefined("no labels")
        if value is None
        else IntervalEstimate(value, max(value - half, 0.0), value + half, 300.0)
    )
    return Estimate("lr", metric, None, outcome, labels, "difference estimate, logit", confidence)


def plain(value, n, confidence=0.95):
    """A window that knew it from n labels drawn plainly."""
    known = BaselineShare(value, n).interval_at(confidence)
    return Estimate("lr", "precision", None, known, int(n), "simple random sample, Wilson", confidence)


def length(known):
    return known.high - known.low


def test_one_window_keeps_the_length_of_its_interval():
    known = baseline_from_estimates([estimate(0.8, 0.06)]).interval_at(0.95)
    assert (known.value, length(known)) == pytest.approx((0.8, 0.12))


@pytest.mark.parametrize(("value", "n"), [(0.8, 300), (0.5, 50), (0.97, 400)])
def test_windows_alike_are_about_one_window_with_all_their_labels(value, n):
    baseline = baseline_from_estimates([plain(value, n)] * 4)
    assert baseline.evidence.value == pytest.approx(value)
    assert baseline.evidence.n == pytest.approx(4 * n, rel=0.07)
    assert (baseline.metric, baseline.n, baseline.seed) == ("precision", 4 * n, None)
    assert baseline.method == "past estimates, windows: 4, MOVER as Wilson"


def test_each_window_counts_the_same_and_brings_its_own_uncertainty():
    """Distances .03 and .04: together sqrt(.03^2 + .04^2)/2 = .025 on either side."""
    known = baseline_from_estimates([estimate(0.7, 0.03), estimate(0.9, 0.04)]).interval_at(0.95)
    assert (known.value, length(known)) == pytest.approx((0.8, 0.05))


def test_a_window_that_met_a_rare_error_does_not_make_the_others_worthless():
    """Its n_eff is near 1, as an error was drawn in a stratum of many items; its interval is what it adds."""
    met = Estimate(
        "lr", "precision", None, IntervalEstimate(0.004, 0.0001, 0.02, 1.2), 300, "difference estimate", 0.95
    )
    none = Estimate("lr", "precision", None, IntervalEstimate(0.0, 0.0, 0.012, 305.0), 300, "difference estimate", 0.95)
    known = baseline_from_estimates([met, *[none] * 7]).interval_at(0.95)
    assert known.high < 0.012


def test_windows_of_another_confidence_mean_the_same():
    wide, narrow = ([plain(0.8, 300, confidence)] * 4 for confidence in (0.99, 0.8))
    assert baseline_from_estimates(wide).evidence.n == pytest.approx(
        baseline_from_estimates(narrow).evidence.n, rel=0.05
    )


@pytest.mark.parametrize(("first", "last"), [(0.8, 0.95), (0.95, 0.8), (0.99, 0.9)])
def test_a_confidence_that_changed_on_the_way_changes_nothing(first, last):
    mixed = [*[plain(0.8, 300, first)] * 3, plain(0.8, 300, last)]
    assert baseline_from_estimates(mixed).evidence.n == pytest.approx(
        baseline_from_estimates([mixed[-1]] * 4).evidence.n, rel=1e-6
    )


def test_windows_that_were_counted_to_the_last_item_are_known_exactly():
    exact = Estimate(
        "lr", "precision", None, IntervalEstimate(0.75, 0.75, 0.75, 400.0), 400, "difference estimate", 0.95
    )
    assert baseline_from_estimates([exact] * 4).evidence == BaselineShare(0.75, 1600.0)


def test_windows_that_know_nothing_of_it_are_a_wide_interval():
    known = baseline_from_estimates(
        [Estimate("lr", "precision", None, IntervalEstimate(0.5, 0.0, 1.0, 0.1), 1, "m", 0.95)]
    ).interval_at(0.95)
    assert length(known) > 0.99


@given(st.floats(0, 1), st.floats(0.001, 0.999), st.floats(0.5, 0.9999))
def test_as_many_labels_make_an_interval_as_long(value, length_, confidence):
    made = BaselineShare(value, labels_for_length(value, length_, confidence)).interval_at(confidence)
    assert length(made) == pytest.approx(length_, abs=2e-4)


@pytest.mark.parametrize("length_", [1e-4, 1e-9, 1e-16])
def test_an_interval_that_only_rounding_keeps_open_is_nearly_exact(length_):
    n = labels_for_length(0.5, length_, 0.95)
    assert n == pytest.approx((1.959964 / length_) ** 2, rel=1e-5)


def test_windows_without_information_are_left_out():
    baseline = baseline_from_estimates([estimate(), estimate(None, labels=0)])
    assert length(baseline.interval_at(0.95)) == pytest.approx(0.1)
    assert baseline.method == "past estimates, windows: 1, MOVER as Wilson"


def test_no_window_that_knew_it_is_no_information():
    assert baseline_from_estimates([estimate(None, labels=0)] * 2).interval_at() == Undefined("no past window knew it")


@pytest.mark.parametrize("estimates", [[], [estimate(), estimate(metric="recall")]])
def test_estimates_of_several_streams_or_of_none_are_refused(estimates):
    with pytest.raises(StratawatchError, match="a baseline is of one metric of one classifier"):
        baseline_from_estimates(estimates)


@pytest.mark.parametrize("windows", [1, 3])
def test_fewer_windows_than_it_takes_are_no_information(windows):
    found = baseline_from_estimates(
        [estimate()] * windows + [estimate(None, labels=0)] * 4, least=MIN_WINDOWS
    ).interval_at()
    assert isinstance(found, Undefined)
    assert found.reason == f"{windows} past window{'s' * (windows > 1)} knew it, a baseline takes 4"
    assert isinstance(baseline_from_estimates([estimate()] * 4, least=MIN_WINDOWS).interval_at(), IntervalEstimate)
