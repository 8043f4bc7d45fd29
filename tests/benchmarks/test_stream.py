"""The real stream's benchmark on a stream that is made up: floors, what counts as false, and one period played."""

import pandas as pd
import pytest

from benchmarks.stream import _inside, _verdicts
from benchmarks.stream_installation import Paged, Periods, paged_in, play


def frame(lost, periods=4, size=400) -> pd.DataFrame:
    """A classifier and a vote whose calls are right in three of four cases; in one period in one of four."""
    parts = []
    for period in range(periods):
        called = [number % 2 == 0 for number in range(size)]
        right = [number % 8 < (2 if period == lost else 6) for number in range(size)]
        parts.append(
            pd.DataFrame(
                {
                    "item_id": [f"{period}-{number}" for number in range(size)],
                    "label": [int(c and r) for c, r in zip(called, right, strict=True)],
                    "period": f"{period:02d}",
                    "score_lr": [0.9 if c else 0.1 for c in called],
                    "pred_lr": [int(c) for c in called],
                    "score_vote": 0.5,
                    "pred_vote": [int(c) for c in called],
                }
            )
        )
    return pd.concat(parts, ignore_index=True)


def row(metric, below, paged, classifier="lr"):
    return {"seed": 1, "metric": metric, "classifier": classifier, "below it in": below, "paged in": paged}


def test_floors_lie_five_points_below_the_first_three_periods():
    periods = Periods(frame(lost=3))
    assert periods.classifiers == ("lr", "vote")
    assert periods.values("lr", "precision") == [0.75, 0.75, 0.75, 0.25]
    assert periods.floor("lr", "precision") == pytest.approx(0.70)


def test_pages_are_listed_by_stream():
    stream = ("lr", "recall")
    assert paged_in([Paged(stream, 4), Paged(stream, 1)]) == {stream: [1, 4]}


def test_a_page_is_false_where_the_metric_kept_its_floor_then_and_before():
    assert _inside(row("recall", "1 3", "1 2 3 6")) == [6]


def test_the_latest_classifier_and_the_earliest_page_decide():
    rows = [row("recall", "3 4", "3"), row("recall", "3 4", "5", "rf"), row("precision", "7", "6 7")]
    values = {verdict.name: verdict.value for verdict in _verdicts(rows)}
    assert list(values.values()) == [1, 3, 0.5, 1]


def test_the_installed_engine_pages_a_loss(tmp_path):
    """The floor is .53: .75 keeps it in the first period, .25 does not in the second."""
    pages = play(tmp_path, Periods(frame(lost=1)), 2, seed=1, budget=60)
    assert set(pages) == {Paged(("lr", "precision"), 1), Paged(("vote", "precision"), 1)}
