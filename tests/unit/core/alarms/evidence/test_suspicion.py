"""How much evidence it takes until labels follow a stream."""

import pytest

from stratawatch.core.alarms.evidence.suspicion import evidence_needed


def test_beside_misses_precision_needs_more():
    assert evidence_needed(["precision", "recall", "precision"], 500) == (150.0, 25.0, 150.0)


@pytest.mark.parametrize("metric", ["false_omission_rate", "f1", "accuracy", "specificity"])
def test_what_misses_and_passed_items_tell_is_like_recall(metric):
    assert evidence_needed([metric, "precision"], 500) == (25.0, 150.0)


@pytest.mark.parametrize("metrics", [["precision"], ["precision"] * 3, ["recall", "recall"], ["recall", "f1"]])
def test_where_all_are_alike_each_needs_as_much(metrics):
    assert evidence_needed(metrics, 500) == (20.0,) * len(metrics)


def test_what_a_page_needs_is_not_waited_for():
    """Of a classifier with two limits, one false page a year, 130 are enough for a page; of one with a limit, 65."""
    assert evidence_needed(["precision", "recall"], 130) == pytest.approx((39.0, 6.5))
    assert evidence_needed(["recall"], 65) == pytest.approx((19.5,))
    assert evidence_needed(["precision", "recall"], 5_000) == (150.0, 25.0)


def test_without_a_stream_there_is_none():
    assert evidence_needed([], 500) == ()
