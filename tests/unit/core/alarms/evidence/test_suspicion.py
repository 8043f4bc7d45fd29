"""How much evidence it takes until labels follow a stream."""

import pytest

from stratawatch.core.alarms.evidence.suspicion import evidence_needed


def test_beside_misses_precision_needs_more():
    assert evidence_needed(["precision", "recall", "precision"]) == (50.0, 10.0, 50.0)


@pytest.mark.parametrize("metric", ["false_omission_rate", "f1", "accuracy", "specificity"])
def test_what_misses_and_passed_items_tell_is_like_recall(metric):
    assert evidence_needed([metric, "precision"]) == (10.0, 50.0)


@pytest.mark.parametrize("metrics", [["precision"], ["precision"] * 3, ["recall", "recall"], ["recall", "f1"]])
def test_where_all_are_alike_each_needs_as_much(metrics):
    assert evidence_needed(metrics) == (20.0,) * len(metrics)


def test_without_a_stream_there_is_none():
    assert evidence_needed([]) == ()
