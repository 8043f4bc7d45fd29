"""Segments of which few labels tell: their values are nowhere on the page, and the reason stands where they would."""

from dataclasses import replace

import pytest

from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.core.population import Atom
from stratawatch.engine.alarms.notifications import News
from stratawatch.engine.model.alarm_records import Incident
from stratawatch.report.page import panel_page
from stratawatch.report.report_data import read_data
from stratawatch.report.small_cells import without_small_cells
from stratawatch.report.view import assemble, build
from tests.support.report_quarter import NOW, REGIONS, Memory, cycle, estimate, known, spec, stream

NORTH, SOUTH = REGIONS
WHY = "not shown: fewer than 30 labels tell of it"


def memory_of(north=40, south=29):
    """Two windows of a precision with so many labels in each segment; that of the south is .612, then .613."""
    memory = Memory(spec(), atoms=(Atom("0100", 0, 9, 1000, 0.9, {NORTH: 700, SOUTH: 300}),))
    for week in (0, 1):
        made = [
            estimate("nb", "precision", known(0.744, 0.02), labels=north + south),
            estimate("nb", "precision", known(0.844, 0.03), NORTH, labels=north),
            estimate("nb", "precision", known(0.612 + week / 1000, 0.04), SOUTH, labels=south),
        ]
        memory.judge(cycle(week), made, [(stream(), AlarmState.BREACH, "it is outside")])
    since = cycle(1).window.start
    memory.incidents.append(Incident(1, stream(), AlarmState.BREACH, "d", 2, NOW, since=since))
    return memory


def view_of(memory, smallest):
    facts = without_small_cells(read_data(memory, memory.panel, 13), smallest)
    news = News(subject="wrong", named_segments=(str(SOUTH), str(NORTH)))
    return assemble(replace(facts, breaches={stream(): news}), NOW)


def inside(view):
    return {one.segment: one for one in view.segments}


@pytest.fixture(scope="module")
def view():
    return view_of(memory_of(), 30)


def test_a_small_segment_has_no_value_no_labels_and_the_reason(view):
    south = inside(view)["region=south"]
    assert (south.estimate, south.change, south.previous, south.labels_used) == (None, None, None, 0)
    assert south.reason == WHY


def test_lines_on_a_breach_that_name_it_are_left_out():
    memory = memory_of()
    news = News(["Since: then.", "Where: region=north, 39% wrong.", "Elsewhere: region=south 61% (was 61%)."])
    facts = replace(read_data(memory, memory.panel, 13), breaches={stream(): news})
    assert [*without_small_cells(facts, 30).breaches[stream()].lines] == news.lines[:2]
    assert without_small_cells(facts, 20).breaches[stream()].lines == news.lines


def test_others_stay(view):
    assert inside(view)["region=north"].estimate.value == pytest.approx(0.844)
    assert view.scores[0].labels_used == view_of(memory_of(), 0).scores[0].labels_used
    assert [one.estimate for one in view.scores] == [one.estimate for one in view_of(memory_of(), 0).scores]


def test_it_has_no_line_in_the_chart_of_places(view):
    values = {place.name: place.values for place in view.summary.places.places}
    assert values["region=south"] == (None, None)
    assert values["region=north"] == pytest.approx((0.844, 0.844))


def test_it_is_so_in_every_window_that_has_few(view):
    memory = memory_of()
    earlier = memory.revisions[1]
    many = tuple(replace(one, labels_used=500) for one in earlier.estimates)
    memory.revisions[1] = replace(earlier, estimates=many)
    places = {place.name: place.values for place in view_of(memory, 30).summary.places.places}
    assert places["region=south"] == (pytest.approx(0.612), None)


def test_no_number_of_it_is_on_the_page(view):
    page, whole = panel_page(view), panel_page(view_of(memory_of(), 0))
    assert "61.3%" in whole
    assert "38.7%" not in page
    assert "61.3%" not in page
    assert "84.4%" in page
    assert WHY in page


def test_as_many_labels_as_asked_for_are_enough():
    assert inside(view_of(memory_of(south=30), 30))["region=south"].estimate is not None


def test_without_a_setting_nothing_is_hidden():
    memory = memory_of(south=1)
    assert build(memory, memory.panel, NOW) == build(memory, memory.panel, NOW, smallest_cell=0)
    assert inside(build(memory, memory.panel, NOW))["region=south"].estimate is not None
    assert inside(build(memory, memory.panel, NOW, smallest_cell=2))["region=south"].estimate is None


def test_sentences_on_its_state_and_its_breach_have_no_value_either():
    """A limit of the segment itself: the state stays, and what it says of the value goes."""
    memory = memory_of()
    key = stream(segment="region=south")
    said = replace(memory.states[2][0], key=key, reason="61.3% (57.3 to 65.3, 95%) is below the floor of 78.0%")
    memory.states[2].append(said)
    memory.incidents.append(Incident(2, key, AlarmState.BREACH, "s", 2, NOW, since=cycle(1).window.start))
    news = {key: News(lines=("Now: 38.7% of its flags are wrong.",), subject="38.7% wrong")}
    facts = replace(read_data(memory, memory.panel, 13), breaches=news)
    page, whole = (panel_page(assemble(without_small_cells(facts, smallest), NOW)) for smallest in (30, 0))
    assert "61.3%" in whole
    assert "61.3%" not in page
    assert "38.7%" not in page
    assert "BREACH" in page
