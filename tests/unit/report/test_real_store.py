"""The report on what the engine itself wrote into a real store: the fake of the other tests must not flatter us."""

from dataclasses import replace

import pytest

from stratawatch.adapters.store import SqlStore
from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.core.estimate import IntervalEstimate
from stratawatch.core.goals import Goal, Limit
from stratawatch.engine.cycle.open_cycles import open_cycles
from stratawatch.engine.model.states import CycleState
from stratawatch.report import build, write
from stratawatch.report.page import panel_page
from stratawatch.report.report_data import read_data
from stratawatch.report.view import assemble
from tests.support.fakes import spec
from tests.support.scenario import Scenario, work_on

WEEKS = 4


@pytest.fixture(scope="module")
def scenario(tmp_path_factory):
    """Three judged weeks, the last of them bad, and a refused one at the end."""
    panel = spec(
        budget=200, goals=(Goal("precision", 0.05), Goal("recall", 0.1)), limits=(Limit("precision", floor=0.4),)
    )
    store = SqlStore(f"sqlite:///{tmp_path_factory.mktemp('report')}/scenario.db", create=True)
    scenario = Scenario.around(store, panel)
    for week in range(WEEKS - 1):
        scenario.produce(week, quality=0.1 if week == WEEKS - 2 else 0.95)
        _live_a_week(scenario)
    _live_a_week(scenario)  # nothing was produced
    yield scenario
    store.dispose()


def _live_a_week(scenario: Scenario) -> None:
    open_cycles(scenario.ports, {scenario.panel.name: scenario.panel})
    work_on(scenario, 3)
    scenario.clock.advance(days=7, hours=-3)


@pytest.fixture(scope="module")
def view(scenario):
    return build(scenario.ports.store, scenario.panel, scenario.clock.now())


def test_shows_every_cycle_with_its_state_and_labels(view):
    assert [row.state for row in view.cycles] == [CycleState.REFUSED, *[CycleState.JUDGED] * 3]
    assert [row.labels.used for row in view.cycles] == [0, 200, 200, 200]
    assert {row.labels.new for row in view.cycles[1:]} == {200}
    assert [row.rows for row in view.cycles[1:]] == [3000, 3000, 3000]


def test_the_refused_window_is_the_headline_and_a_gap(view):
    assert view.headline.state == AlarmState.BLIND
    assert "has no rows" in view.headline.sentence
    assert [point.estimate is None for point in view.trends[0].points] == [False, False, False, True]
    assert "has no rows" in view.undefined[0].why


def test_values_are_those_of_the_stored_revision(scenario, view):
    with scenario.ports.store.begin() as tx:
        _, newest = tx.estimates.history(scenario.panel.name)[-1]
    stored = {(e.classifier, e.metric): e.result for e in newest.estimates if e.segment is None}
    shown = {(t.classifier, t.metric): t.points[2].estimate for t in view.trends}
    assert shown == stored
    assert all(isinstance(known, IntervalEstimate) for known in shown.values())


def test_the_breach_its_incident_and_its_page_are_there(scenario, view):
    lr = next(trend for trend in view.trends if (trend.classifier, trend.metric) == ("lr", "precision"))
    assert [point.state for point in lr.points[:3]] == [AlarmState.OK, AlarmState.OK, AlarmState.BREACH]
    assert {row.kind for row in view.incidents if row.resolved_at is None} == {AlarmState.BREACH, AlarmState.BLIND}
    received = [note.subject for note in scenario.channel.received]
    assert sorted(row.subject for row in view.notifications) == sorted(received)
    assert {row.state for row in view.notifications} == {"sent"}


def test_before_the_refused_week_plain_sampling_would_have_cost_more(scenario):
    with scenario.ports.store.begin() as tx:
        judged = tx.cycles.find(panel=scenario.panel.name)[:3]
    assert len(judged) == 3
    facts = _facts_until(scenario, 3)
    cost = _assemble(facts, scenario).cost
    assert cost.used == 200
    assert {need.metric for need in cost.needs} == {"precision", "recall"}
    assert cost.shared > cost.used


def test_the_page_is_written_and_links_to_the_checks(scenario, tmp_path):
    page = write(scenario.ports.store, None, tmp_path, scenario.clock.now()).read_text(encoding="utf-8")
    assert 'href="../checks/profile.html"' in page
    assert "text of w0-" not in page  # what labellers saw


def test_cut_offs_of_the_breach_are_on_the_page(scenario, view):
    """In the same numbers as the view; a panel without an open breach has no table."""
    breaches = {row.name.lower() for row in view.incidents if row.kind == AlarmState.BREACH and not row.resolved_at}
    assert {one.name for one in view.cut_offs} == breaches
    tried = next(one for one in view.cut_offs if one.name == "precision of lr")
    assert tried.rows[0].cut_off == "0.5, in use"
    assert len(tried.rows) > 2
    page = panel_page(view)
    assert "Cut-offs that were tried: precision of lr" in page
    assert all(row.values_by_title["precision"] in page and row.flags in page for row in tried.rows)
    assert "Cut-offs that were tried" not in panel_page(replace(view, cut_offs=()))


def _facts_until(scenario, number):
    facts = read_data(scenario.ports.store, scenario.panel, 13)
    return replace(facts, cycles=facts.cycles[:number])


def _assemble(facts, scenario):
    return assemble(facts, scenario.clock.now())
