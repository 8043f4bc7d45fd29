"""A page of a window that is judged after later ones: it says which window it is about, and how the newest one is."""

import re
from dataclasses import replace

import pytest

from stratawatch.core.goals import Limit
from stratawatch.engine.cycle.advance import advance
from stratawatch.engine.cycle.operator_actions import reopen_cycle
from tests.support.fakes import MONDAY, WEEK, spec
from tests.support.scenario import label_weeks, new_scenario, open_all, work_on

LATE = "2026-01-12"
RF = Limit("precision", floor=0.3, classifiers=("rf",))
PANEL = spec(budget=400, limits=(Limit("precision", floor=0.3, classifiers=("lr",)), RF))


def late_week(scenario, then):
    """The second week, in which both classifiers fell, is refused, and judged after the fourth."""
    label_weeks(scenario, 0, size=1000)
    scenario.produce(1, quality=0.2, size=1000)
    scenario.clock.moment = MONDAY + 2 * WEEK
    scenario.check.refusal = "a column is missing"
    (cycle,) = open_all(scenario)
    advance(scenario.ports)
    scenario.check.refusal = ""
    scenario.panel = then
    label_weeks(scenario, 2, 3, size=1000)
    scenario.channel.received.clear()
    reopen_cycle(scenario.ports, cycle, "mended", then)
    work_on(scenario, 4)
    return scenario


@pytest.fixture(scope="module")
def late(tmp_path_factory):
    """Where nothing else changed; played once, as tests only read it."""
    scenario = late_week(new_scenario(tmp_path_factory.mktemp("late") / "store.db", PANEL), PANEL)
    yield scenario
    scenario.ports.store.dispose()


def pages(scenario):
    return [one for one in scenario.channel.received if one.severity == "page"]


def incidents(scenario):
    with scenario.ports.store.begin() as tx:
        return tx.alarms.incidents(panel="spam", only_open=True)


class TestALatePage:
    def test_says_in_its_subject_which_window_it_is_about(self, late):
        assert {one.facts["classifier"] for one in pages(late)} == {"lr", "rf"}
        for page in pages(late):
            assert f"% of its flags are wrong in the week of {LATE}" in page.subject

    def test_says_first_how_the_newest_one_is(self, late):
        for page in pages(late):
            first = page.body.splitlines()[0]
            assert first.startswith(f"An older week: that of {LATE}. The newest one, of 2026-01-26, is OK: precision ")
            assert first.endswith(" labels.")

    def test_speaks_of_that_window_and_not_of_this_one(self, late):
        for page in pages(late):
            lines = page.body.splitlines()
            assert lines[1].startswith("That week: ")
            assert any(line.startswith("Harm: ") and " that week, of " in line for line in lines)
            assert any(line.startswith("Sure: proven by that week alone; ") for line in lines)
            assert "this week" not in page.body
            assert "Now: " not in page.body

    def test_began_no_later_than_its_window(self, late):
        for page in pages(late):
            within = re.search(rf"Since: the week of {LATE}, most likely(?: \(90% sure: \S+ to (\S+)\))?\.", page.body)
            assert within[1] is None or within[1] <= LATE
        assert {one.since for one in incidents(late)} == {MONDAY + WEEK}

    def test_waits_for_a_window_that_is_still_to_come(self, late):
        for page in pages(late):
            assert "Next verdict: on the window to 2026-02-09, " in page.body

    def test_says_how_the_others_are_by_the_newest_window(self, late):
        for page, other in zip(pages(late), ("rf", "lr"), strict=True):
            assert f"\nFine, proven (OK) in the newest window: precision of {other}.\n" in page.body

    def test_says_nothing_of_a_limit_that_is_gone(self, make_scenario):
        gone = Limit("recall", floor=0.01, classifiers=("rf",))
        scenario = late_week(make_scenario(replace(PANEL, limits=(*PANEL.limits, gone))), PANEL)
        assert len(pages(scenario)) == 2
        assert not [page for page in pages(scenario) if "recall of rf" in page.body]


def test_is_over_with_the_next_window(make_scenario):
    scenario = late_week(make_scenario(PANEL), PANEL)
    label_weeks(scenario, 4, size=1000)
    assert [one.severity for one in scenario.channel.received] == ["page", "page", "resolved", "resolved"]


def test_that_the_newest_window_was_refused_is_said(make_scenario):
    scenario = make_scenario(PANEL)
    scenario.check.refusal = "a column is missing"
    scenario.produce(0, quality=0.2, size=1000)
    (first,) = open_all(scenario)
    advance(scenario.ports)
    scenario.produce(1, size=1000)
    scenario.clock.moment = MONDAY + 2 * WEEK
    open_all(scenario)
    advance(scenario.ports)
    scenario.check.refusal = ""
    reopen_cycle(scenario.ports, first, "mended")
    work_on(scenario, 4)
    newest = "The newest one, of 2026-01-12, is BLIND: the window was refused: a column is missing."
    for page in pages(scenario):
        assert page.body.splitlines()[0] == f"An older week: that of 2026-01-05. {newest}"
    assert len(pages(scenario)) == 2
