"""Studies of goals that have a history: their plans and intervals borrow variances from it."""

import numpy as np
import pandas as pd
import pytest

from stratawatch.core.goals import Goal
from stratawatch.study import Study

GOALS = (Goal("precision", 0.03), Goal("recall", 0.1))


def week(number, calls=None):
    """Two thousand items whose score is right on average; `calls` items at most are called."""
    rng = np.random.default_rng(number)
    score = rng.beta(1, 5, 2000)
    bound = 0.4 if calls is None else np.sort(score)[-calls]
    frame = pd.DataFrame({"id": [f"{number}-{n}" for n in range(2000)], "score": score, "call": score >= bound})
    return frame, dict(zip(frame["id"], (rng.random(2000) < score).tolist(), strict=True))


def answered(number, history=None, calls=None, **facts):
    frame, truth = week(number, calls)
    study = Study(
        frame, item="id", classifiers={"lr": ("score", "call")}, history=history, **({"goals": GOALS} | facts)
    )
    while items := study.ask():
        study.tell({item: truth[item] for item in items})
    return study


@pytest.fixture(scope="module")
def history():
    return answered(1).history()


def test_intervals_say_so_in_the_second_period(history):
    assert "history" in answered(2, history).estimates().of("lr", "precision").method
    assert "history" not in answered(2, history, variance="labels").estimates().of("lr", "precision").method


def test_a_side_that_is_drawn_whole_is_forecast(history):
    """Forty items are called: the plan draws them all, and nothing is left to be unsure of."""
    frame, _ = week(2, calls=40)
    plan = Study(frame, item="id", classifiers={"lr": ("score", "call")}, goals=GOALS, history=history).plan()
    assert plan.labels > 40


def test_the_next_study_looks_for_misses_where_calls_vanished(history):
    """Half of the 160 or so that the first one called are not called any more, of some 330 positives."""
    first = int(2000 * history.called[1])
    assert 120 < first < 200
    for calls, looks_harder in ((first, False), (first // 2, True)):
        frame, _ = week(2, calls)
        begun = Study(frame, item="id", classifiers={"lr": ("score", "call")}, goals=GOALS, history=history)
        warned = [warning for warning in begun.plan().warnings if "looks harder for misses" in warning]
        begun.ask()
        assert ("looks harder for misses" in begun.to_json()) is looks_harder is bool(warned)
    assert sorted(answered(2, history).history().called) == [1, 2]


def test_a_sequential_study_borrows_nothing(history):
    """Not in its plan either, whatever confidence its looks have."""
    frame, _ = week(2)
    facts = {"item": "id", "classifiers": {"lr": ("score", "call")}, "goals": GOALS, "history": history}
    for confidence in (0.9, 0.95):
        one, other = (
            Study(frame, **facts, confidence=confidence, stop_rule="sequential", variance=variance)
            for variance in ("default", "labels")
        )
        assert one.plan().labels == other.plan().labels
        assert one.ask() == other.ask()
