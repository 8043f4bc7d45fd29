"""Earlier windows in a window's states: which count, what a page leaves behind, and that they cost one query."""

from dataclasses import replace

import pytest
from sqlalchemy import event

from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.core.estimate import Undefined
from stratawatch.core.goals import Limit
from stratawatch.engine.alarms.past_readings import estimates_so_far, paged_streams
from stratawatch.engine.model.alarm_records import StreamKey
from stratawatch.engine.model.panel_spec import ClassifierSpec
from tests.support.fakes import MONDAY, WEEK, spec
from tests.support.scenario import label_weeks, only_cycle, open_all, relabel, severities, work_on

LR = StreamKey("spam", "lr", "precision")
LIMIT = Limit("precision", floor=0.5, classifiers=("lr",))


def so_far(scenario, cycle_id: int):
    """The estimates of lr's precision up to a window, as its judgement reads them."""
    with scenario.ports.store.begin() as tx:
        cycle = tx.cycles.get(cycle_id)
        (current,) = (
            one
            for one in tx.estimates.latest(cycle_id).estimates
            if (one.classifier, one.metric, one.segment) == ("lr", "precision", None)
        )
        return estimates_so_far(tx, tx.panels.get(cycle.panel_version), cycle, {LR: current})[LR]


def state_of(scenario, cycle_id: int):
    with scenario.ports.store.begin() as tx:
        return next(one for one in tx.alarms.of_cycle(cycle_id) if one.key == LR)


@pytest.fixture
def weeks(make_scenario):
    """Three judged weeks, of which none pages."""
    return make_scenario(spec(), 0, 1, 2)


class TestWhichWindowsCount:
    def test_are_those_before_oldest_first(self, weeks):
        (last,) = label_weeks(weeks, 3)
        found = so_far(weeks, last)
        with weeks.ports.store.begin() as tx:
            cycles = tx.cycles.find()
            own = [
                next(e for e in tx.estimates.latest(c.id).estimates if (e.classifier, e.metric) == ("lr", "precision"))
                for c in cycles
            ]
        assert found == own
        assert len(so_far(weeks, cycles[1].id)) == 2

    def test_windows_that_were_refused_are_gaps(self, weeks):
        weeks.produce(5)
        weeks.clock.moment = MONDAY + 6 * WEEK
        *_, last = open_all(weeks)
        work_on(weeks, 3)
        found = so_far(weeks, last)
        assert [isinstance(one.result, Undefined) for one in found] == [False, False, False, True, True, False]

    @pytest.mark.parametrize(
        "change",
        [
            {
                "classifiers": (
                    ClassifierSpec("lr", "score_lr", cut_off=0.45),
                    ClassifierSpec("rf", "score_rf", cut_off=0.6),
                )
            },
            {"limits": (replace(LIMIT, floor=0.45),)},
            {"limits": (replace(LIMIT, max_drop=0.5),)},
            {"question": "Is it spam or an advertisement?"},
        ],
        ids=["cut-off", "floor", "drop", "question"],
    )
    def test_none_before_what_they_are_about_was_changed(self, weeks, change):
        weeks.panel = replace(weeks.panel, **change)
        (last,) = label_weeks(weeks, 3)
        assert len(so_far(weeks, last)) == 1

    def test_all_of_them_where_something_else_was_changed(self, weeks):
        weeks.panel = replace(weeks.panel, budget=100, confidence=0.9)
        (last,) = label_weeks(weeks, 3)
        assert len(so_far(weeks, last)) == 4


class TestStates:
    def test_name_the_windows_that_prove_them(self, make_scenario):
        scenario = make_scenario(spec(limits=(replace(LIMIT, floor=0.40),)), 0, 1, 2)
        (last,) = label_weeks(scenario, 3)
        said = state_of(scenario, last)
        assert "over the last 4 windows" in said.reason, said.reason

    def test_a_breach_lasts_until_it_is_ok_and_pages_once(self, make_scenario):
        scenario = make_scenario(spec(budget=400, limits=(replace(LIMIT, floor=0.4),)), 0)
        cycles = [*label_weeks(scenario, 1, quality=0.2), *label_weeks(scenario, 2, quality=0.7)]
        cycles += label_weeks(scenario, 3, quality=1.0)
        states = [state_of(scenario, cycle) for cycle in cycles]
        assert [one.state for one in states] == [AlarmState.BREACH, AlarmState.BREACH, AlarmState.OK]
        assert "is proven below the floor" in states[0].reason
        assert "paged, and not proven inside since" in states[1].reason
        assert severities(scenario) == ["page", "update", "resolved"]

    def test_windows_up_to_the_page_are_left_behind(self, make_scenario):
        scenario = make_scenario(spec(budget=400), 0)
        paged, after = *label_weeks(scenario, 1, quality=0.2), *label_weeks(scenario, 2)
        assert (len(so_far(scenario, paged)), len(so_far(scenario, after))) == (2, 1)

    def test_an_incident_of_a_later_window_is_none_of_an_earlier_one(self, make_scenario):
        scenario = make_scenario(spec(budget=400), 0)
        first, (second,) = only_cycle(scenario), label_weeks(scenario, 1, quality=0.2)
        with scenario.ports.store.begin() as tx:
            earlier, later = tx.cycles.get(first), tx.cycles.get(second)
            assert (paged_streams(tx, earlier), paged_streams(tx, later)) == (frozenset(), {LR})

    def test_a_corrected_label_ends_the_page_of_its_own_window(self, make_scenario):
        scenario = make_scenario(spec(budget=400), 0, quality=0.2)
        relabel(scenario, "yes")
        assert severities(scenario) == ["page", "resolved"]


def test_the_windows_before_cost_one_query(weeks):
    sent = []
    with weeks.ports.store.begin() as tx:
        listen = lambda *said: sent.append(said[2])  # noqa: E731
        event.listen(weeks.ports.store._engine, "before_cursor_execute", listen)
        found = tx.estimates.in_periods("spam", 0, 2, ["precision"], [None])
        event.remove(weeks.ports.store._engine, "before_cursor_execute", listen)
    assert (len([one for one in sent if one.startswith("SELECT")]), [one.period for one in found]) == (
        1,
        [0, 0, 1, 1, 2, 2],
    )
