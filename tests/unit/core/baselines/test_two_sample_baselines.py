import pytest

from stratawatch.core.baselines.labelled import labelled_baselines, side_sample_baselines
from stratawatch.core.estimate import Undefined
from stratawatch.errors import StratawatchError
from tests.support.flags import flags


def test_sides_that_are_drawn_unequally_are_weighed_by_their_sizes():
    """80 of 100 among 1000 called, 8 of 400 among 9000 others: recall 800/980, accuracy (800 + 8820)/10000."""
    precision, recall, omission, accuracy = (
        b.interval_at() for b in side_sample_baselines(*flags(80, 20, 8, 392), 1000, 9000)
    )
    assert [precision.value, recall.value, omission.value] == pytest.approx([0.8, 800 / 980, 0.02])
    assert accuracy.value == pytest.approx(0.962)


def test_sides_drawn_alike_give_the_plain_values():
    calls, truth = flags(80, 20, 10, 890)
    apart = side_sample_baselines(calls, truth, 1000, 9000)
    for one, plain in zip(apart, labelled_baselines(calls, truth), strict=True):
        assert one.interval_at().value == pytest.approx(plain.interval_at().value)


def test_what_reads_one_side_needs_no_sizes():
    for metric in ("precision", "false_omission_rate", "negative_predictive_value"):
        [small], [large] = (
            side_sample_baselines(*flags(80, 20, 8, 392), 1000, n, metrics=[metric]) for n in (500, 9000)
        )
        assert small == large


@pytest.mark.parametrize(
    ("counts", "reason"),
    [
        ((0, 0, 8, 392), "no labelled item is called positive"),
        ((80, 20, 0, 0), "no labelled item is called negative"),
        ((0, 20, 0, 20), "no labelled item is positive"),
    ],
)
def test_recall_without_one_of_the_sides_or_without_positives_is_no_information(counts, reason):
    [recall] = side_sample_baselines(*flags(*counts), 1000, 9000, metrics=["recall"])
    assert recall.interval_at() == Undefined(reason)


def test_accuracy_without_positives_is_known():
    [accuracy] = side_sample_baselines(*flags(0, 20, 0, 20), 100, 900, metrics=["accuracy"])
    assert accuracy.interval_at().value == pytest.approx(0.9)


@pytest.mark.parametrize("sizes", [(99, 9000), (1000, 399), (0, 9000), (float("nan"), 9000), (1000, float("inf"))])
def test_fewer_items_than_labels_are_refused(sizes):
    with pytest.raises(StratawatchError, match="labels drawn apart need the number of items called"):
        side_sample_baselines(*flags(80, 20, 8, 392), *sizes)


@pytest.mark.parametrize("called", [1200.5, 100.25])
def test_parts_of_items_are_refused(called):
    with pytest.raises(StratawatchError, match=f"expected a whole number, .* 100 that have a label; got {called}"):
        side_sample_baselines(*flags(80, 20, 8, 392), called, 9000)


def test_specificity_is_made_of_both_sides():
    """200 of 1000 called are negative, and 8,820 of 9,000 others: 8820/9020."""
    [specificity] = side_sample_baselines(*flags(80, 20, 8, 392), 1000, 9000, metrics=["specificity"])
    known = specificity.interval_at()
    assert specificity.method == "labels drawn apart, MOVER-R"
    assert known.value == pytest.approx(8820 / 9020)
    assert 0.96 < known.low < known.value < known.high < 0.99


@pytest.mark.parametrize("metric", ["f1", "prevalence", "f7"])
def test_what_is_no_share_that_depends_on_the_calls_is_refused(metric):
    with pytest.raises(StratawatchError, match=f"no baseline of '{metric}'"):
        side_sample_baselines(*flags(80, 20, 8, 392), 1000, 9000, metrics=[metric])
