"""The forecast that a cycle's first plan keeps, and what became of it once its window is judged."""

from dataclasses import replace

import pytest
from sqlalchemy import select, update

from stratawatch.adapters.status_queries import read_status
from stratawatch.adapters.store.tables import rounds
from stratawatch.core.estimate import IntervalEstimate
from stratawatch.core.goals import Goal, Limit
from stratawatch.core.population import Segment
from stratawatch.engine.cycle.advance import advance
from stratawatch.engine.cycle.forecast_checks import KEPT, forecast_record, forecast_streams
from stratawatch.engine.cycle.label_needs import label_needs
from stratawatch.engine.cycle.operator_actions import rerun_cycle
from stratawatch.engine.cycle.plan_preview import preview_plan
from stratawatch.engine.model.forecast_record import plans_from, record_from
from stratawatch.engine.model.panel_spec import Window
from stratawatch.engine.model.states import CycleState
from stratawatch.report import build
from stratawatch.report.page import panel_page
from tests.support.fakes import MONDAY, WEEK, spec
from tests.support.scenario import (
    cycle_of,
    label_cycle,
    labelled_scenario,
    only_cycle,
    open_all,
    relabel,
    work_on,
)

PANEL = spec(budget=200)
FIRST = Window(MONDAY, MONDAY + WEEK)
STREAMS = {(who, metric) for who in ("lr", "rf") for metric in ("precision", "recall")}


def plans(scenario, cycle):
    with scenario.ports.store.begin() as tx:
        return [one.plan for one in tx.rounds.of(cycle)]


def record(scenario):
    with scenario.ports.store.begin() as tx:
        return forecast_record(tx, "spam")


def kept(scenario):
    with scenario.ports.store.begin() as tx:
        return plans_from(tx.labels.cursor(f"{KEPT}spam"))


def said(scenario, only=lambda key: True, hours=30, times=4):
    """A cycle until it is judged, of which only some items are answered."""
    open_all(scenario)
    for _ in range(times):
        scenario.clock.advance(hours=hours)
        assert advance(scenario.ports).troubles == ()
        scenario.queue.answer(scenario.clock.now(), only=only)
    return only_cycle(scenario)


def change_plans(scenario, change):
    """Change what is stored of the plan of each first round."""
    with scenario.ports.store.begin() as tx:
        for number, document in tx._sql.execute(select(rounds.c.id, rounds.c.plan).where(rounds.c.ordinal == 1)).all():
            tx._sql.execute(update(rounds).where(rounds.c.id == number).values(plan=change(dict(document))))
        tx.commit()


class TestThePlanOfAFirstRound:
    def test_keeps_the_ranges_that_plan_shows(self, make_scenario):
        scenario = make_scenario(PANEL)
        shown = preview_plan(scenario.ports, PANEL, FIRST, 0).plan
        by_goals = label_needs(scenario.ports, PANEL, FIRST, 0).goals
        first, second = plans(scenario, label_cycle(scenario))
        assert first.forecast.ranges == {key: one for key, one in shown.ranges.items() if key in STREAMS}
        assert first.forecast.half_widths == {key: one for key, one in shown.half_widths.items() if key in STREAMS}
        assert first.forecast.ranges == {(goal.classifier, goal.metric): goal.range for goal in by_goals}
        assert first.forecast.labels == shown.labels == second.labels
        assert second.forecast is None

    def test_counts_labels_that_are_there_already(self, make_scenario):
        scenario = make_scenario(PANEL, 0)
        start = MONDAY + WEEK
        stay = scenario.source.windows[MONDAY][:2000]
        scenario.produce(1)
        scenario.source.windows[start] = [*stay, *scenario.source.windows[start][2000:]]
        scenario.clock.moment = start + WEEK
        shown = preview_plan(scenario.ports, PANEL, Window(start, start + WEEK), 1).plan
        assert shown.known_labels > 0
        (first, *_) = plans(scenario, label_cycle(scenario))
        assert first.forecast.labels == shown.labels
        assert first.forecast.ranges == {key: shown.ranges[key] for key in STREAMS}

    def test_where_goals_decide_is_of_the_labels_that_they_are_expected_to_need(self, make_scenario):
        panel = spec(budget=600, stop_rule="goals")
        scenario = make_scenario(panel)
        found = label_needs(scenario.ports, panel, FIRST, 0)
        (first, *_) = plans(scenario, label_cycle(scenario))
        assert first.forecast.labels == found.stop.labels
        assert first.forecast.ranges == {(goal.classifier, goal.metric): goal.range for goal in found.goals}

    def test_keeps_none_of_a_design_that_tells_none(self, make_scenario):
        scenario = make_scenario(spec(budget=200, design="srs"))
        (only,) = plans(scenario, label_cycle(scenario))
        assert only.forecast is None
        assert record(scenario) is None

    def test_keeps_none_of_a_window_that_is_run_again(self, make_scenario):
        scenario = make_scenario(PANEL)
        label_cycle(scenario)
        scenario.source.windows[MONDAY] = scenario.source.windows[MONDAY][50:]
        again = rerun_cycle(scenario.ports, only_cycle(scenario), "mended", PANEL)
        work_on(scenario, 4)
        assert cycle_of(scenario, again).state == CycleState.JUDGED
        assert [one.forecast for one in plans(scenario, again)] == [None] * len(plans(scenario, again))
        assert kept(scenario) == ()


@pytest.mark.parametrize(
    ("goals", "limits", "streams"),
    [
        ((), (), STREAMS),
        ((Goal("recall", 0.1),), (), {("lr", "recall"), ("rf", "recall")}),
        (
            (Goal("recall", 0.1, ("lr",)),),
            (Limit("false_omission_rate", ceiling=0.1, classifiers=("rf",)),),
            {("lr", "recall"), ("rf", "false_omission_rate")},
        ),
        (
            (Goal("recall", 0.1, ("lr",)),),
            (Limit("f1", floor=0.1, segment=Segment("country", "DE")),),
            {("lr", "recall")},
        ),
    ],
)
def test_what_has_a_goal_or_a_limit_over_everything_is_forecast(goals, limits, streams):
    assert forecast_streams(spec(goals=goals, limits=limits)) == streams


class TestTheRecord:
    def test_counts_each_half_width_of_a_judged_window(self, make_scenario):
        scenario = make_scenario(PANEL)
        assert record(scenario) is None
        cycle = label_cycle(scenario)
        (first, _), (found,) = plans(scenario, cycle), record(scenario).plans
        with scenario.ports.store.begin() as tx:
            estimates = [one for one in tx.estimates.latest(cycle).estimates if one.segment is None]
        widths = {(one.classifier, one.metric): one.result.half_width for one in estimates}
        came = {key: widths[key] for key in STREAMS}
        ranges = first.forecast.ranges
        assert found.inside == sum(ranges[key].low <= width <= ranges[key].high for key, width in came.items())
        assert found.wider == sum(width > ranges[key].high for key, width in came.items())
        assert found.inside + found.wider + found.narrower == 4
        assert (found.cycle, found.labels_came, found.labels_planned) == (cycle, 200, 200)

    @pytest.mark.parametrize(("ends", "counts"), [((0, 1), (4, 0, 0)), ((0, 1e-6), (0, 4, 0)), ((0.9, 1), (0, 0, 4))])
    def test_says_whether_what_came_was_inside_wider_or_narrower(self, make_scenario, ends, counts):
        scenario = make_scenario(PANEL)
        open_all(scenario)
        work_on(scenario, 1)
        low, high = ends

        def moved(document):
            kept = [[who, metric, low, high, high] for who, metric, *_ in document["forecast"]["ranges"]]
            return document | {"forecast": document["forecast"] | {"ranges": kept}}

        change_plans(scenario, moved)
        work_on(scenario, 3)
        (found,) = record(scenario).plans
        assert (found.inside, found.wider, found.narrower) == counts

    def test_what_labels_leave_undefined_counts_as_wider(self, make_scenario):
        scenario = make_scenario(PANEL)
        open_all(scenario)
        for _ in range(4):
            scenario.clock.advance(hours=1)
            advance(scenario.ports)
            scenario.queue.answer(scenario.clock.now(), value="no")
        with scenario.ports.store.begin() as tx:
            estimates = tx.estimates.latest(only_cycle(scenario)).estimates
        undefined = [
            one
            for one in estimates
            if one.segment is None and one.metric == "recall" and not isinstance(one.result, IntervalEstimate)
        ]
        (found,) = record(scenario).plans
        assert len(undefined) == 2
        assert found.wider >= 2

    def test_is_that_of_the_newest_revision(self, make_scenario):
        scenario = make_scenario(PANEL)
        cycle = label_cycle(scenario)
        before = kept(scenario)
        relabel(scenario, "skip")
        with scenario.ports.store.begin() as tx:
            assert tx.estimates.latest(cycle).number == 2
        (after,) = kept(scenario)
        assert (after.cycle, after.labels_came) == (cycle, 0)
        assert before != (after,)
        assert record(scenario).counted == ()

    def test_is_of_the_last_eight_windows_oldest_first(self, tmp_path):
        scenario = labelled_scenario(tmp_path / "store.db", spec(budget=40), *range(9), size=400)
        assert [one.cycle for one in record(scenario).plans] == list(range(2, 10))
        assert record(scenario).sentence.startswith("Forecasts of the last 8 plans: ")

    def test_is_shown_by_plan_status_and_the_report(self, tmp_path):
        scenario = labelled_scenario(tmp_path / "store.db", PANEL, 0)
        sentence = record(scenario).sentence
        assert label_needs(scenario.ports, PANEL, FIRST, 0).record == record(scenario)
        (row,) = read_status(f"sqlite:///{tmp_path / 'store.db'}")["forecast_records"]
        assert record_from(row["position"]) == record(scenario)
        assert sentence in panel_page(build(scenario.ports.store, PANEL, scenario.clock.now()))


class TestLabelsThatDidNotCome:
    def test_in_a_cycle_that_its_deadline_ended_leave_its_plan_out(self, make_scenario):
        scenario = make_scenario(PANEL)
        cycle = said(scenario, only=lambda key: int(key[-1], 16) % 2 == 0)
        assert cycle_of(scenario, cycle).reason.startswith("deadline")
        (found,) = kept(scenario)
        assert found.labels_planned == 200
        assert found.is_left_out
        assert "cannot be checked" in record(scenario).sentence

    def test_leave_it_out_too_where_the_second_round_was_never_asked(self, make_scenario):
        scenario = make_scenario(PANEL)
        open_all(scenario)
        work_on(scenario, 1)
        scenario.clock.advance(days=4)
        for _ in range(3):
            scenario.clock.advance(hours=1)
            advance(scenario.ports)
        cycle = only_cycle(scenario)
        (first,), (found,) = plans(scenario, cycle), kept(scenario)
        assert cycle_of(scenario, cycle).state == CycleState.JUDGED
        assert found.labels_came == first.labels < found.labels_planned == first.forecast.labels
        assert found.is_left_out

    def test_of_a_few_items_do_not(self, make_scenario):
        scenario = make_scenario(PANEL)
        asked = []
        said(scenario, only=lambda key: asked.append(key) or len(set(asked)) % 20 != 7)
        (found,) = kept(scenario)
        assert 180 <= found.labels_came < found.labels_planned == 200
        assert record(scenario).plans == (found,)

    def test_are_no_matter_where_goals_needed_fewer(self, make_scenario):
        panel = spec(budget=600, stop_rule="goals", goals=(Goal("precision", 0.15),))
        scenario = make_scenario(panel)
        label_cycle(scenario)
        (found,) = kept(scenario)
        assert found.labels_came == found.labels_planned < 600
        assert not found.is_left_out


class TestPlansOfAnOlderVersion:
    def test_load_and_are_left_out_of_the_record(self, make_scenario):
        scenario = make_scenario(PANEL, 0)
        with_forecast = plans(scenario, only_cycle(scenario))
        scenario.produce(1)
        scenario.clock.moment = MONDAY + 2 * WEEK
        open_all(scenario)
        work_on(scenario, 1)
        change_plans(scenario, lambda document: {key: value for key, value in document.items() if key != "forecast"})
        work_on(scenario, 3)
        first, second = plans(scenario, 1), plans(scenario, 2)
        assert first == [replace(one, forecast=None) for one in with_forecast]
        assert [one.forecast for one in second] == [None] * len(second)
        assert cycle_of(scenario, 2).state == CycleState.JUDGED
        assert [one.cycle for one in record(scenario).plans] == [1]

    def test_are_written_as_before_where_there_is_no_forecast(self, make_scenario):
        scenario = make_scenario(spec(budget=200, design="srs"))
        label_cycle(scenario)
        with scenario.ports.store.begin() as tx:
            (document,) = tx._sql.scalars(select(rounds.c.plan))
        assert set(document) == {"totals", "half_widths", "method", "exhausted"}
