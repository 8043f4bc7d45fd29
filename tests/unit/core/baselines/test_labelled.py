import pytest

from stratawatch.core.baselines.labelled import labelled_baselines
from stratawatch.core.estimate import IntervalEstimate, Undefined
from tests.support.flags import flags


def test_every_metric_is_a_share_with_wilsons_interval():
    precision, recall, omission, accuracy = labelled_baselines(*flags(80, 20, 40, 860))
    assert [b.interval_at().value for b in (precision, recall, omission, accuracy)] == pytest.approx(
        [0.8, 2 / 3, 4 / 90, 0.94]
    )
    assert [b.interval_at().n_eff for b in (precision, recall, omission, accuracy)] == [100, 120, 900, 1000]
    assert (precision.interval_at().low, precision.interval_at().high) == pytest.approx((0.7112, 0.8666), abs=5e-5)


def test_the_record_says_what_it_rests_on():
    [baseline] = labelled_baselines(*flags(80, 20, 40, 860), metrics=["recall"])
    assert (baseline.metric, baseline.method, baseline.n, baseline.seed) == (
        "recall",
        "labelled items, Wilson",
        1000,
        None,
    )
    assert (baseline.valid_from, baseline.valid_until) == (None, None)


def test_a_page_asks_for_another_confidence():
    [baseline] = labelled_baselines(*flags(80, 20, 40, 860), metrics=["precision"])
    report, page = baseline.interval_at(), baseline.interval_at(0.999)
    assert page.low < report.low < report.high < page.high


@pytest.mark.parametrize(
    ("counts", "metric", "reason"),
    [
        ((0, 0, 5, 5), "precision", "no labelled item is called positive"),
        ((0, 5, 0, 5), "recall", "no labelled item is positive"),
        ((5, 5, 0, 0), "false_omission_rate", "no labelled item is called negative"),
        ((0, 0, 0, 0), "accuracy", "there are no labelled items"),
    ],
)
def test_a_share_of_nothing_is_no_information(counts, metric, reason):
    [baseline] = labelled_baselines(*flags(*counts), metrics=[metric])
    assert baseline.interval_at() == Undefined(reason)


def test_all_right_is_no_proof_of_perfection():
    known = labelled_baselines(*flags(20, 0, 0, 0), metrics=["precision"])[0].interval_at()
    assert isinstance(known, IntervalEstimate)
    assert (known.value, known.high) == (1.0, 1.0)
    assert known.low < 0.87
