"""Verdicts of sudden breaks, from chains made by hand, what each break moves, and two real chains."""

import numpy as np
import pytest

from benchmarks.labels import drift
from benchmarks.labels.chain import ChainWeek
from benchmarks.labels.kinds import FOUR
from benchmarks.labels.worlds import World

NAME = "precision everywhere"
CHAINS = 40
GOALS = 8


def found(design, missed=()):
    """Chains of four weeks; of `missed` (week, goal, every so many chains) goals are not held."""
    return [
        drift._Found(
            design,
            NAME,
            tuple(
                ChainWeek(
                    world=1,
                    chain=chain,
                    week=9 + week,
                    labels_new=1000,
                    covered=tuple(
                        not any(week == at and goal == which and chain % every == 0 for at, which, every in missed)
                        for goal in range(GOALS)
                    ),
                    widths=(0.9,) * GOALS,
                    errors=(0.0,) * GOALS,
                )
                for week in range(4)
            ),
        )
        for chain in range(CHAINS)
    ]


@pytest.fixture
def broken_promises(monkeypatch):
    monkeypatch.setattr(drift, "_BREAKS", {NAME: drift._BREAKS[NAME]})

    def names(ours=(), alone=()):
        both = [*found("borrowed", ours), *found("labels alone", alone)]
        return [one.name.partition(": ")[2] for one in drift._verdicts(both) if not one.holds]

    return names


PRECISIONS, RECALLS = range(4), range(4, 8)


def every_other(weeks, goals, every=2):
    return [(week, goal, every) for week in weeks for goal in goals]


def test_chains_that_are_held_keep_every_promise(broken_promises):
    assert broken_promises() == []


def test_goals_that_labels_alone_hold_may_not_be_lost_in_the_first_week(broken_promises):
    assert "coverage lost in the first week" in broken_promises(ours=every_other([0], PRECISIONS, 10))
    same = every_other([0], PRECISIONS, 10)
    assert broken_promises(ours=same, alone=same) == []


@pytest.mark.parametrize(
    ("weeks", "goals", "said"),
    [
        ([0], PRECISIONS, "first week, not surely below .90"),
        ([1, 2, 3], PRECISIONS, "three weeks after"),
        ([0], RECALLS, "untouched goals, first week"),
        ([1, 2, 3], RECALLS, "untouched goals, three weeks after"),
    ],
)
def test_each_promise_is_broken_by_goals_that_are_missed(broken_promises, weeks, goals, said):
    missed = every_other(weeks, goals)
    assert broken_promises(ours=missed, alone=missed) == [said]


@pytest.mark.parametrize("name", list(drift._BREAKS))
def test_a_break_moves_the_goals_that_it_is_said_to_break(name):
    """Metrics of the whole week: the broken ones of each break by points, where one falls."""
    items = World(FOUR, 1).week(9)
    after = drift._BREAKS[name].change(items, np.random.default_rng(1))
    moved = metrics(after) - metrics(items)
    if name == "scores shuffled from week 1":
        assert moved == pytest.approx(0)
    else:
        assert (moved[drift._BREAKS[name].broken] < -0.03).all()


def metrics(items):
    hits = items.calls[items.truth].sum(axis=0)
    return np.concatenate([hits / items.calls.sum(axis=0), hits / items.truth.sum()])


@pytest.mark.slow
@pytest.mark.parametrize("name", [NAME, "scores shuffled from week 1"])
def test_a_chain_has_the_last_four_weeks_of_both_designs(monkeypatch, name):
    monkeypatch.setattr(drift, "_BREAKS", {name: drift._BREAKS[name]})
    weeks = drift._chain(drift._Task(1, 0, 20260105))
    assert [(one.design, one.kind, [week.week for week in one.weeks]) for one in weeks] == [
        (design, name, [9, 10, 11, 12]) for design in ("borrowed", "labels alone")
    ]
    borrowed, alone = weeks
    assert borrowed.weeks[0].labels_new != alone.weeks[0].labels_new
