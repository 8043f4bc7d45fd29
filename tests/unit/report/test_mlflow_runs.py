"""Estimates as runs of MLflow: names that it takes, numbers with their intervals, keys by which runs are known again."""

import json
import posixpath
import re
from dataclasses import replace
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.core.estimate import Undefined
from stratawatch.core.population import Segment
from stratawatch.engine.model.alarm_records import StreamKey, StreamState
from stratawatch.engine.model.cycle_facts import Revision
from stratawatch.report.mlflow_runs import LONGEST_TAG, plain_names, runs_of
from tests.support.report_quarter import cycle, estimate, known

AT = datetime(2026, 2, 1, 7, tzinfo=UTC)
HERE = Segment("pays", "é[1]")


def revision(*estimates, number=1, fingerprint="f"):
    return Revision(3, number, fingerprint, 9, AT, tuple(estimates))


def run_of(*estimates, states=(), **changes):
    (run,) = runs_of(cycle(3), revision(*estimates, **changes), states)
    return run


class TestNumbers:
    def test_are_the_value_its_ends_and_labels_at_the_end_of_the_window(self):
        run = run_of(estimate("lr", "precision", known(0.8, 0.03)))
        assert {one.name: round(one.value, 9) for one in run.metrics} == {
            "precision": 0.8,
            "precision.low": 0.77,
            "precision.high": 0.83,
            "precision.labels": 240.0,
        }
        assert {(one.step, one.at) for one in run.metrics} == {(3, cycle(3).window.end)}

    def test_that_cannot_be_told_are_named_and_have_none(self):
        run = run_of(estimate("lr", "precision", known(0.8, 0.03)), estimate("lr", "recall", Undefined("no positives")))
        assert not [one for one in run.metrics if one.name.startswith("recall")]
        assert run.tags["stratawatch.undefined"] == "recall"

    def test_of_segments_have_names_that_mlflow_takes(self):
        run = run_of(estimate("lr", "precision", known(0.8, 0.03), segment=HERE))
        assert run.metrics[0].name == "precision.pays___1_"
        assert json.loads(run.tags["stratawatch.names"]) == {"precision.pays___1_": "precision.pays=é[1]"}


class TestRuns:
    def test_are_one_for_each_classifier(self):
        estimates = [estimate(name, "precision", known(0.8, 0.03)) for name in ("lr", "nb")]
        found = list(runs_of(cycle(3), revision(*estimates), ()))
        assert [run.tags["stratawatch.classifier"] for run in found] == ["lr", "nb"]
        assert len({run.key for run in found}) == 2

    def test_are_known_again_and_other_ones_are_others(self):
        one = estimate("lr", "precision", known(0.8, 0.03))
        first, again = run_of(one), run_of(one)
        assert first == again
        others = [run_of(one, number=2), run_of(one, fingerprint="g"), run_of(replace(one, classifier="nb"))]
        assert first.key not in {other.key for other in others}

    def test_say_the_states(self):
        key = StreamKey("toxicity", "lr", "precision")
        state = StreamState(key, 3, 1, AlarmState.BREACH, "why", AT)
        run = run_of(estimate("lr", "precision", known(0.8, 0.03)), states=[state])
        assert json.loads(run.tags["stratawatch.states"]) == {"precision": "BREACH"}


@given(st.lists(st.text(max_size=8), unique=True, max_size=12))
def test_different_names_stay_different_and_are_taken(names):
    found = plain_names(names)
    assert set(found) == set(names)
    assert len(set(found.values())) == len(names)
    for plain in found.values():
        # The rules of MLflow 3.17: these signs, no path that could be written shorter, at most 250 characters.
        assert re.fullmatch(r"[/\w.\- :]*", plain, re.ASCII)
        assert posixpath.normpath(plain) == plain
        assert plain not in (".", "..")
        assert 0 < len(plain) + len(".labels") <= 250


def test_names_that_are_alike_at_their_ends_or_long_stay_apart():
    found = plain_names(["a//b", "a/", "a/b", ".", "..", "", "x" * 300 + "1", "x" * 300 + "2"])
    assert len(set(found.values())) == 8
    assert "/" not in "".join(found.values())


def test_what_does_not_fit_into_one_tag_is_in_several():
    many = [
        estimate("lr", "precision", known(0.8, 0.03), segment=Segment("pays", f"é{'x' * 60}{n}")) for n in range(99)
    ]
    run = run_of(*many)
    parts = [json.loads(value) for tag, value in run.tags.items() if tag.startswith("stratawatch.names")]
    assert len(parts) > 1
    assert sum(map(len, parts)) == 99
    assert all(len(value) <= LONGEST_TAG for value in run.tags.values())
