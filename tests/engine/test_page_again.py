"""A page of a time without channels: the channel that comes later is told what the first ones would have been."""

import re

import pytest

from stratawatch.core.goals import Limit
from stratawatch.engine.cycle.advance import advance
from tests.support.deliveries import connect
from tests.support.drops import PANEL, measure
from tests.support.fakes import MONDAY, WEEK, spec
from tests.support.scenario import label_weeks

KEPT = Limit("precision", floor=0.5, classifiers=("lr",))
NEARLY = Limit("precision", floor=0.66, classifiers=("rf",))
"""About five points above where the classifier stands: several windows together prove that."""
UNSEEN = Limit("recall", max_drop=0.05, classifiers=("lr",))
"""There is no baseline: BLIND."""


def one_window(scenario):
    label_weeks(scenario, 0, size=1000)
    label_weeks(scenario, 1, size=1000, quality=0.2)


def windows_together(scenario):
    label_weeks(scenario, 0, 1, 2)


def fall(scenario):
    label_weeks(scenario, 0, 1, 2, 3)
    measure(scenario)
    label_weeks(scenario, 4, 5, quality=0.45)


PAGES = {
    "one window": (spec(budget=400, limits=(KEPT,)), one_window),
    "windows together": (spec(budget=150, limits=(NEARLY,)), windows_together),
    "a fall from a baseline": (PANEL, fall),
    "another metric is BLIND": (spec(budget=400, limits=(KEPT, UNSEEN)), one_window),
    "alone by the configuration": (spec(budget=400, limits=(KEPT,), alarms="window"), one_window),
}


def page_of(scenario):
    (page,) = [one for one in scenario.channel.received if one.severity == "page"]
    return page.subject, page.body.splitlines(), page.facts


@pytest.mark.parametrize("kind", PAGES)
def test_is_the_one_that_the_first_channel_was_told(make_scenario, kind):
    panel, judge = PAGES[kind]
    first, later = make_scenario(panel), make_scenario(panel)
    connect(later)
    judge(first)
    judge(later)
    assert later.channel.received == []
    connect(later, later.channel)
    advance(later.ports)
    assert page_of(later) == page_of(first)


def test_is_about_its_own_window_however_late_the_channel_comes(make_scenario):
    panel = spec(budget=400, limits=(KEPT, UNSEEN))
    first, later = make_scenario(panel), make_scenario(panel)
    connect(later)
    for scenario in (first, later):
        one_window(scenario)
        label_weeks(scenario, 2, 3, size=1000, quality=0.2)
    connect(later, later.channel)
    advance(later.ports)
    subject, lines, facts = page_of(first)
    newest, *late = page_of(later)[1]
    assert newest.startswith("An older week: that of 2026-01-12. The newest one, of 2026-01-26, is BREACH: ")
    assert page_of(later)[0] == subject.replace("are wrong", "are wrong in the week of 2026-01-12")
    assert page_of(later)[2] == facts
    in_time = [line.replace("Now:", "That week:").replace("this week", "that week") for line in lines]
    in_time = [line.replace("(BLIND):", "(BLIND) in the newest window:") for line in in_time]
    next_verdict = f"Next verdict: on the window to {MONDAY + 5 * WEEK:%Y-%m-%d}, "
    assert late == [re.sub("Next verdict: on the window to [-0-9]+, ", next_verdict, line) for line in in_time]
    advance(later.ports)
    assert page_of(later)[1] == [newest, *late]
