"""What a cycle is planned with: labels of the windows before it, as they were known when it was opened."""

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from stratawatch.core.goals import Goal
from stratawatch.core.history.past_labels import NO_HISTORY
from stratawatch.core.score_bins import bin_of, centre
from stratawatch.core.tuning import HISTORY
from stratawatch.engine.cycle.advance import advance
from stratawatch.engine.labels.label_history import label_history
from stratawatch.engine.model.panel_spec import AuxiliarySpec, ClassifierSpec
from stratawatch.engine.model.states import CycleState
from tests.support.fakes import MONDAY, WEEK, spec
from tests.support.scenario import Scenario, cycle_of, label_weeks, open_all, work_on

SIZE = 600


@pytest.fixture
def small(make_scenario):
    """A scenario of 600 predictions a week and a budget of 40."""
    scenario = make_scenario(spec(budget=40))
    scenario.produce(0, size=SIZE)
    return scenario


def weeks(scenario: Scenario, *periods: int) -> list[int]:
    """Label a cycle of each of these small windows; returns their ids."""
    return label_weeks(scenario, *periods, size=SIZE)


def history(scenario: Scenario, period: int, *, present=(), at=None, panel=None):
    with scenario.ports.store.begin() as tx:
        return label_history(tx, panel or scenario.panel, period, at or scenario.clock.now(), present)


class TestColumns:
    def test_every_label_says_how_old_it_is_and_what_it_stands_for(self, small):
        weeks(small, 0, 1)
        past = history(small, 3)
        assert sorted(past.ages.tolist()) == [2] * 40 + [3] * 40
        assert past.weights[past.ages == 3].sum() == pytest.approx(SIZE)
        assert past.weights[past.ages == 2].sum() == pytest.approx(SIZE)

    def test_pattern_score_and_answer_are_those_of_the_item(self, small):
        (cycle,) = weeks(small, 0)
        past = history(small, 1)
        with small.ports.store.begin() as tx:
            drawn = [draw.item for draw in sorted(tx.rounds.draws(cycle), key=lambda draw: draw.item_key)]
        rows = {row.item: row for row in small.source.windows[MONDAY]}
        truth = [rows[item].truth for item in drawn]
        bins = [bin_of(sum(rows[item].scores) / 2) for item in drawn]
        assert past.positive.tolist() == truth
        assert past.scores.tolist() == [centre(bin_) for bin_ in bins]
        calls = [
            "".join("01"[score >= cut] for score, cut in zip(rows[i].scores, (0.5, 0.6), strict=True)) for i in drawn
        ]
        assert past.patterns == tuple(calls)

    def test_items_that_may_be_drawn_again_are_marked(self, small):
        (cycle,) = weeks(small, 0)
        with small.ports.store.begin() as tx:
            one, other = [draw.item for draw in tx.rounds.draws(cycle)][:2]
        assert not history(small, 1).drawable.any()
        assert history(small, 1, present=[one, other, "another"]).drawable.sum() == 2

    def test_what_people_could_not_decide_teaches_nothing(self, small):
        open_all(small)
        advance(small.ports)
        small.queue.answer(small.clock.now(), only=lambda key: key < "8", value="skip")
        small.queue.answer(small.clock.now())
        advance(small.ports)
        decided = sum(event.value != "skip" for event in small.queue.said)
        assert 0 < decided < len(small.queue.said)
        assert len(history(small, 1)) == decided


class TestWhichLabels:
    def test_of_a_panels_first_period_there_are_none(self, small):
        weeks(small, 0)
        assert history(small, 0) is NO_HISTORY

    def test_windows_that_are_too_long_ago_are_left_out(self, small):
        weeks(small, 0)
        assert len(history(small, HISTORY.max_age)) == 40
        assert history(small, HISTORY.max_age + 1) is NO_HISTORY

    def test_another_cut_off_makes_another_classifier(self, small):
        weeks(small, 0)
        lr, rf = small.panel.classifiers
        assert len(history(small, 1, panel=replace(small.panel, budget=50))) == 40
        for classifiers in ((replace(lr, cut_off=0.4), rf), (lr,), (rf, lr), (lr, rf, ClassifierSpec("nn", "s"))):
            assert history(small, 1, panel=replace(small.panel, classifiers=classifiers)) is NO_HISTORY
        helped = replace(small.panel, auxiliary=(AuxiliarySpec("judge", "score_judge"),))
        assert history(small, 1, panel=helped) is NO_HISTORY

    def test_later_events_and_rounds_change_nothing(self, small):
        """A label that is taken back, or that comes late, belongs to the next history."""
        small.panel = spec(budget=40)
        weeks(small, 0)
        at = small.clock.now()
        before = history(small, 1, at=at)
        small.clock.advance(hours=1)
        event = small.queue.said[0]
        small.queue.said.append(replace(event, event_id="later", value="retract", at=event.at + timedelta(minutes=1)))
        advance(small.ports)
        again = history(small, 1, at=at)
        assert np.array_equal(again.positive, before.positive)
        assert np.array_equal(again.weights, before.weights)
        assert len(history(small, 1)) == len(before) - 1


class TestPlanning:
    def test_one_round_is_enough_when_history_foretells(self, make_scenario):
        """Two windows of 120 labels are more than the 200 that it takes; the cycle settles by its plan, not by a round."""
        scenario = make_scenario()
        first, *_, third = weeks(scenario, 0, 1, 2)
        with scenario.ports.store.begin() as tx:
            rounds = [len(tx.rounds.of(cycle)) for cycle in (first, third)]
            (plan,) = [round_.plan for round_ in tx.rounds.of(third)]
            moves = [(move.new, move.why) for move in tx.cycles.transitions() if move.entity_id == third]
            states = [round_.state for round_ in tx.rounds.of(third)]
        assert rounds == [2, 1]
        assert plan.method.endswith("from history")
        assert plan.labels == scenario.panel.budget
        assert states == ["settled"]
        assert ("settled", "120 of 120 drawn items have a verdict; nothing more to ask") in moves
        assert cycle_of(scenario, third).state == CycleState.JUDGED

    def test_goals_are_planned_with_how_well_each_period_was_foretold(self, make_scenario):
        """The third window has 240 labels before it, enough to foretell it; the ones before have too few."""
        scenario = make_scenario()
        weeks(scenario, 0, 1, 2)
        for_goals = history(scenario, 4, panel=replace(scenario.panel, stop_rule="goals"))
        assert list(for_goals.ratios) == [2]
        assert all(0.2 < ratio < 5 for ratio in for_goals.ratios[2].values())
        assert history(scenario, 4).ratios == {}

    def test_both_rounds_have_the_same_history(self, make_scenario, monkeypatch):
        """Labels of an older window that come between the two rounds wait for the next cycle."""
        seen = []

        def watched(*args, **kwargs):
            seen.append(label_history(*args, **kwargs))
            return seen[-1]

        for module in ("input.assess_window", "cycle.plan_round"):
            monkeypatch.setattr(f"stratawatch.engine.{module}.label_history", watched)
        scenario = make_scenario(spec(budget=60))
        scenario.produce(0, size=SIZE)
        scenario.produce(1, size=SIZE)
        open_all(scenario)
        advance(scenario.ports)
        scenario.queue.answer(scenario.clock.now(), only=lambda key: key < "8")
        advance(scenario.ports)
        scenario.clock.moment = MONDAY + 2 * WEEK
        open_all(scenario)
        seen.clear()
        work_on(scenario, 4)
        at_freeze, *later = [past for past in seen if len(past)]
        assert len(later) == 2
        for past in later:
            assert np.array_equal(past.positive, at_freeze.positive)
            assert np.array_equal(past.weights, at_freeze.weights)
        assert len(at_freeze) < 60

    def test_goals_that_are_met_by_the_first_round_ask_no_more(self, make_scenario):
        scenario = make_scenario(spec(budget=400, stop_rule="goals", goals=(Goal("precision", 0.4),)))
        (cycle,) = weeks(scenario, 0)
        with scenario.ports.store.begin() as tx:
            draws, rounds = tx.rounds.draws(cycle), tx.rounds.of(cycle)
        assert len(rounds) == 1
        assert len(draws) < 400
        assert cycle_of(scenario, cycle).state == CycleState.JUDGED


def test_windows_that_are_labelled_in_one_moment_spend_their_budgets(make_scenario):
    """A backfill under a clock that stands still: labels arrive in the very moment in which the next cycle is open."""
    scenario = make_scenario(spec(budget=300))
    for period in range(4):
        scenario.produce(period, size=SIZE)
    scenario.clock.moment = MONDAY + 4 * WEEK
    cycles = open_all(scenario)
    for _ in range(12):
        advance(scenario.ports)
        scenario.queue.answer(scenario.clock.now())
    with scenario.ports.store.begin() as tx:
        assert [tx.cycles.get(cycle).state for cycle in cycles] == [CycleState.JUDGED] * 4
        assert [len(tx.rounds.draws(cycle)) for cycle in cycles] == [300] * 4
