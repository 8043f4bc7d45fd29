"""The benchmark's verdicts, from worlds made by hand: they must fail when a promise is broken."""

from argparse import Namespace
from dataclasses import replace

import pytest

import benchmarks.demo_worlds as benchmark
from benchmarks.demo_worlds_loop import JudgedEstimate
from benchmarks.shape import Options
from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.core.estimate import Estimate, IntervalEstimate, Undefined
from stratawatch.core.metrics import REPORTED
from stratawatch.core.population import Segment
from stratawatch.demo.comparison import ComparedEstimate
from stratawatch.demo.models import CLASSIFIERS
from stratawatch.demo.world import LIMITED_METRICS, WEEKS

COVERED, MISSED = IntervalEstimate(0.8, 0.77, 0.83, 500), IntervalEstimate(0.7, 0.67, 0.73, 500)
TRUTH = 0.8


def judged(week: int, name: str, metric: str, outcome, state=None, segment=None) -> JudgedEstimate:
    return JudgedEstimate(
        ComparedEstimate(week, Estimate(name, metric, segment, outcome, 300, "", 0.95), TRUTH, 5_000), state
    )


def world(result=COVERED, in_regions=COVERED, breaches=(("logistic", "precision", 7),)) -> list[JudgedEstimate]:
    """Ten weeks in which everything is OK but these breaches."""
    cells = [(week, name, metric) for week in range(1, WEEKS + 1) for name in CLASSIFIERS for metric in REPORTED]
    overall = []
    for week, name, metric in cells:
        state = AlarmState.BREACH if (name, metric, week) in breaches else AlarmState.OK
        overall.append(judged(week, name, metric, result, state if metric in LIMITED_METRICS else None))
    return overall + [judged(*cell, in_regions, segment=Segment("region", "north")) for cell in cells]


@pytest.fixture
def result_of(monkeypatch):
    def run(*worlds):
        monkeypatch.setattr(benchmark, "_run_all", lambda _seeds, _workers: worlds)
        given = Namespace(worlds=len(worlds), workers=1)
        return benchmark.run(Options(seed=1, quick=False, data=None, json=None, given=given))

    return run


def value(result, name: str) -> float:
    return next(verdict.value for verdict in result.verdicts if verdict.name == name)


class TestRun:
    def test_passes_when_all_promises_are_kept(self, result_of):
        result = result_of(world(), world())
        assert result.passed
        assert all(verdict.holds for verdict in result.verdicts)

    def test_fails_when_intervals_miss(self, result_of):
        result = result_of(*[world()] * 9, world(result=MISSED))
        assert value(result, "coverage of all intervals") == pytest.approx(0.9)
        assert not result.passed

    def test_fails_when_intervals_of_regions_miss(self, result_of):
        assert not result_of(*[world()] * 9, world(in_regions=MISSED)).passed

    def test_an_estimate_that_tells_nothing_counts_as_a_miss(self, result_of):
        assert not result_of(*[world()] * 9, world(result=Undefined("no labels"))).passed

    def test_fails_when_the_break_is_found_too_late(self, result_of):
        late = world(breaches=[("logistic", "precision", 9)])
        result = result_of(*[world()] * 8, late, late)
        assert value(result, "worlds that detect the break within two cycles") == pytest.approx(0.8)
        assert not result.passed

    def test_fails_when_healthy_classifiers_are_paged(self, result_of):
        wronged = world(breaches=[("logistic", "precision", 8), ("bayes", "recall", 2)])
        result = result_of(*[world()] * 9, wronged)
        assert value(result, "worlds with a page on a healthy classifier") == pytest.approx(0.1)
        assert not result.passed

    def test_reports_pages_on_the_vote_and_too_early_ones_as_aims(self, result_of):
        odd = world(breaches=[("logistic", "precision", 7), ("vote", "recall", 9), ("logistic", "recall", 3)])
        result = result_of(world(), odd)
        assert value(result, "worlds with a page on the vote") == 0.5
        assert value(result, "worlds with a page on the degraded one too early") == 0.5
        assert result.passed

    def test_fails_when_limits_are_not_known_to_be_held_after_a_month(self, result_of):
        def unproven(weeks):
            return [
                replace(one, state=AlarmState.UNPROVEN if one.state and one.compared.week in weeks else one.state)
                for one in world()
            ]

        result = result_of(unproven({4}), unproven({4}), world())
        assert value(result, "limits that are OK in week 4") == pytest.approx(1 / 3)
        assert not result.passed
        slow = result_of(unproven({5}), world())
        assert value(slow, "limits of a world that are not OK, from week 5 to the break") == pytest.approx(2)
        assert slow.passed

    def test_counts_what_random_samples_would_cost(self, result_of):
        """m = 1.96^2 x .8 x .2 / .03^2 = 682.9, of 5000: 682.9 / (1 + 681.9 / 5000) = 600.9; of everything x 20.

        Four precisions from lists, four recalls from everything: 4 x 600.9 + 4 x 12018 = 50476 = 56.1 x 900.
        """
        result = result_of(world())
        assert value(result, "random samples, one a metric: times the labels") == pytest.approx(56.08, abs=0.01)
        assert value(result, "one random sample for all: times the labels") == pytest.approx(13.35, abs=0.01)


class TestRows:
    def test_one_a_classifier_and_metric_with_the_states_of_those_that_have_a_limit(self, result_of):
        rows = result_of(world()).rows
        assert len(rows) == len(CLASSIFIERS) * len(REPORTED)
        assert rows[0]["OK"] == 9
        assert (rows[0]["BREACH early"], rows[0]["BREACH late"]) == (0, 1)
        assert "OK" not in rows[-1]
