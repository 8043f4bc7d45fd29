"""The benchmark of cold goals: its populations, the search for the smallest budget, and what it says of both."""

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.cold_goals.cycles import Found, Outcomes, crossing, find
from benchmarks.cold_goals.findings import rows, verdicts
from benchmarks.cold_goals.worlds import GROUPS, KINDS, RARE, worlds


def outcomes(labels=1000.0, held=0.95, runs=100, right=0.95, lean=0.0):
    """Two goals of one classifier, precision and recall."""
    widths = np.where(np.arange(runs) < round(held * runs), 0.9, 1.1)
    errors = np.where(np.arange(runs) % 2, 1.0, -1.0)[:, None] + np.array([0.0, lean])
    return Outcomes(np.full(runs, labels), widths[:, None], np.full((runs, 1), right), errors)


@pytest.fixture(scope="module")
def some():
    return list(worlds(3, GROUPS))


@pytest.fixture(scope="module")
def rare(some):
    return replace(some[0], family=replace(some[0].family, size=5000))


def test_twelve_populations_are_fixed_and_as_many_follow_the_seed(some):
    assert len(some) == 2 * len(KINDS) == 24
    others = list(worlds(4, GROUPS))
    assert some[:12] == others[:12]
    assert all(one.family != other.family for one, other in zip(some[13:], others[13:], strict=True))
    assert {len(one.family.members) for one in some} == {1, 2, 3, 4, 5, 6}
    assert all(0.0099 <= one.family.prevalence <= 0.301 for one in some)


def test_margins_are_those_of_the_kind_or_such_as_labels_reach(some):
    assert some[0].goals == RARE
    assert all(0 < goal.margin <= 0.2 for one in some for goal in one.goals)
    assert [goal.metric for goal in some[5].goals] == ["recall"]


def test_a_small_run(rare):
    found = find(rare, 1, 4)
    assert found.goals.labels.shape == (4,)
    assert found.goals.widths.shape == found.goals.right.shape == found.goals.errors.shape == (4, 2)
    assert found.goals.leans.shape == (2,)
    assert 0 < found.forecast < 5000
    assert 60 <= found.budget <= 5000


def test_a_budget_is_read_off_the_line_through_what_was_tried():
    line = [(np.log(labels), 0.5 * np.log(1600 / labels)) for labels in (800, 1200, 2000)]
    assert np.exp(crossing(line)) == pytest.approx(1600)
    assert np.exp(crossing(line[:1])) == pytest.approx(1600)


def test_what_labels_are_too_many_and_what_goals_fall_short(some):
    good = Found(some[0], 900, outcomes(), 1000.0)
    assert all(verdict.holds for verdict in verdicts([good, good]))
    for bad in (replace(good, budget=800.0), replace(good, goals=outcomes(held=0.7))):
        assert sum(not verdict.holds for verdict in verdicts([good, bad]) if verdict.kind == "must") == 1
    (row,) = rows([good])
    assert (row["labels"], row["held"]) == (1000.0, 0.95)
    uncovered = [one for one in verdicts([replace(good, goals=outcomes(right=0.9))]) if not one.holds]
    assert [one.name for one in uncovered] == ["coverage"]


@pytest.mark.parametrize("lean", [-0.1, 0.1])
def test_values_that_lean_to_either_side_miss_an_aim(some, lean):
    missed = [one for one in verdicts([Found(some[0], 900, outcomes(lean=lean), 1000.0)]) if not one.holds]
    assert [(one.name, one.kind) for one in missed] == [("recall: mean lean of values, in standard errors", "aim")]
    assert missed[0].value == pytest.approx(0.1)


def test_a_goal_that_no_run_could_tell_has_no_part_in_leans(some):
    good, lost = outcomes(), outcomes()
    lost.errors[:, 1] = np.nan
    found = verdicts([Found(some[0], 900, one, 1000.0) for one in (good, lost)])
    assert [one.value for one in found if "lean" in one.name] == [0, 0]


def test_a_share_that_chance_explains_is_no_failure(some):
    few = verdicts([Found(some[0], 900, outcomes(held=0.86), 900.0)])
    assert next(one for one in few if "surely" in one.name).holds
