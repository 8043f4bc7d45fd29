import pytest

from stratawatch.core.methods.baselines.past_estimates import LEAST, past_estimates
from stratawatch.core.results import Estimate, Known, Undefined
from stratawatch.errors import StratawatchError


def estimate(value=0.8, n_eff=300.0, labels=250, metric="precision"):
    outcome = Undefined("no labels") if value is None else Known(value, value - 0.05, value + 0.05, n_eff)
    return Estimate("lr", metric, None, outcome, labels, "difference estimate, logit", 0.95)


def test_windows_alike_are_one_window_with_all_their_labels():
    baseline = past_estimates([estimate()] * 4)
    assert (baseline.evidence.value, baseline.evidence.n) == pytest.approx((0.8, 1200))
    assert (baseline.metric, baseline.n, baseline.seed) == ("precision", 1000, None)
    assert baseline.method == "past estimates, windows: 4, Wilson"


def test_each_window_counts_the_same_however_many_labels_it_has():
    """Variances 1/100 and 1/900 of m (1 - m): that of the mean is (1/100 + 1/900)/4, so that n is 4 x 90 = 360."""
    baseline = past_estimates([estimate(0.7, 100), estimate(0.9, 900)])
    assert (baseline.evidence.value, baseline.evidence.n) == pytest.approx((0.8, 360))


def test_windows_without_information_are_left_out():
    baseline = past_estimates([estimate(), estimate(None, labels=0)])
    assert (baseline.evidence.value, baseline.evidence.n) == pytest.approx((0.8, 300))
    assert baseline.method == "past estimates, windows: 1, Wilson"


def test_no_window_that_knew_it_is_no_information():
    assert past_estimates([estimate(None, labels=0)] * 2).known() == Undefined("no past window knew it")


@pytest.mark.parametrize("estimates", [[], [estimate(), estimate(metric="recall")]])
def test_estimates_of_several_streams_or_of_none_are_refused(estimates):
    with pytest.raises(StratawatchError, match="a baseline is of one metric of one classifier"):
        past_estimates(estimates)


@pytest.mark.parametrize("windows", [1, 3])
def test_fewer_windows_than_it_takes_are_no_information(windows):
    found = past_estimates([estimate()] * windows + [estimate(None, labels=0)] * 4, least=LEAST).known()
    assert isinstance(found, Undefined)
    assert found.reason == f"{windows} past window{'s' * (windows > 1)} knew it, a baseline takes 4"
    assert isinstance(past_estimates([estimate()] * 4, least=LEAST).known(), Known)
