"""Classifiers that are shadows, are promoted, leave a panel or come back under another name."""

import re
from dataclasses import replace

from stratawatch.engine.labels.label_history import label_history
from stratawatch.engine.model.pauses import Pauses
from stratawatch.engine.model.states import CycleState
from tests.support.played_panel import BOTH, RF, WITHOUT_RF
from tests.support.scenario import severities, work_on

RF_SHADOW = Pauses(shadows=frozenset({("spam", "rf")}))
NOT_ESTIMATED = "<dt>Precision of rf</dt><dd>it was not estimated in this window</dd>"


def test_a_shadow_pages_nobody_for_six_weeks_until_it_is_promoted(played):
    scenario = played.scenario
    played.configure(BOTH, RF_SHADOW)
    for week in range(6):
        played.begin(week)
        work_on(scenario, 3)
        assert played.judged(week) == played.estimated(week) == {"lr", "rf"}
    assert played.status()[1] == {"lr": "OK", "rf": "BREACH"}
    assert severities(scenario) == []
    report = played.report()
    assert "Shadow: rf; judged, and nobody is paged; would have paged: precision of rf." in report
    assert "Nothing needs attention" in report
    versions = {played.cycle(week).panel_version for week in range(6)}

    # Promotion is one edit: the panel's version, its history and its trend go on, and the breach pages now.
    played.configure(BOTH)
    played.begin(6)
    work_on(scenario, 3)
    assert {played.cycle(6).panel_version} == versions
    assert severities(scenario) == ["page"]
    assert "Shadow" not in played.report()
    assert "Nothing needs attention" not in played.report()

    # A champion that becomes a shadow has no incident any more.
    played.configure(BOTH, RF_SHADOW)
    played.begin(7)
    work_on(scenario, 3)
    assert severities(scenario) == ["page", "resolved"]
    with scenario.ports.store.begin() as tx:
        assert tx.alarms.incidents(only_open=True) == ()


def test_a_classifier_leaves_in_the_middle_of_a_cycle_and_comes_back_under_another_name(played):
    scenario = played.scenario
    played.begin(0)
    work_on(scenario, 3)
    assert (played.status()[1], severities(scenario)) == ({"lr": "OK", "rf": "BREACH"}, ["page"])
    assert re.search(r"BREACH</span>\s+rf \(\w+\): \d+% of its flags are wrong", played.report())

    # The cycle under way goes on as it was drawn; the incident of the one that left ends, and it pages no more.
    played.begin(1)
    work_on(scenario, 1)
    assert played.cycle(1).state == CycleState.LABELLING
    played.configure(WITHOUT_RF)
    work_on(scenario, 2)
    assert (played.estimated(1), played.judged(1)) == ({"lr", "rf"}, {"lr", "rf"})
    assert severities(scenario) == ["page", "resolved"]
    assert "rf is not configured any more" in scenario.channel.received[-1].body
    assert "Nothing needs attention" in played.report()

    # The next window has the new set only. The stream of the other goes on; plans begin from scores.
    played.begin(2)
    work_on(scenario, 3)
    assert (played.estimated(2), played.judged(2)) == ({"lr"}, {"lr"})
    assert played.cycle(2).panel_version != played.cycle(1).panel_version
    assert played.status()[1]["lr"] == "OK"
    assert "<h3>rf</h3>" not in played.report()
    with scenario.ports.store.begin() as tx:
        assert label_history(tx, WITHOUT_RF, 2, scenario.clock.now()).ages.size == 0

    # Under another name it is a new classifier: it pages for itself. Nobody was asked anything twice.
    forest = replace(RF, name="forest")
    limits = (BOTH.limits[0], replace(BOTH.limits[1], classifiers=("forest",)))
    played.configure(replace(BOTH, classifiers=(BOTH.classifiers[0], forest), limits=limits))
    played.begin(3)
    work_on(scenario, 3)
    assert played.judged(3) == {"lr", "forest"}
    assert severities(scenario) == ["page", "resolved", "page"]
    assert len(scenario.queue.asked()) == len(set(scenario.queue.asked()))


def test_a_classifier_is_added_in_the_middle_of_a_cycle(played):
    scenario = played.scenario
    played.configure(WITHOUT_RF)
    played.begin(0)
    work_on(scenario, 1)
    asked = scenario.queue.asked()
    assert ([row["state"] for row in played.status()[2]], played.estimated(0)) == (["labelling"], set())
    assert "rf" not in played.status()[1]
    assert "Precision of rf" not in played.report()
    played.configure(BOTH)
    assert played.cycle(0).state == CycleState.LABELLING

    # The cycle under way goes on as it was drawn: the new one has no estimate in it and pages nobody.
    work_on(scenario, 2)
    assert (played.estimated(0), played.judged(0)) == ({"lr"}, {"lr"})
    assert scenario.queue.asked()[: len(asked)] == asked
    assert (played.status()[1], severities(scenario)) == ({"lr": "OK"}, [])
    assert NOT_ESTIMATED in played.report()

    # The next window is drawn for both. The one that was there goes on; the new one is judged, and pages.
    played.begin(1)
    work_on(scenario, 3)
    assert played.cycle(1).panel_version != played.cycle(0).panel_version
    assert played.estimated(1) == played.judged(1) == {"lr", "rf"}
    assert (played.status()[1], severities(scenario)) == ({"lr": "OK", "rf": "BREACH"}, ["page"])
    assert NOT_ESTIMATED not in played.report()
    assert len(scenario.queue.asked()) == len(set(scenario.queue.asked()))


def test_a_classifier_is_renamed_in_the_middle_of_a_cycle(played):
    scenario = played.scenario
    played.begin(0)
    work_on(scenario, 3)
    assert (played.status()[1], severities(scenario)) == ({"lr": "OK", "rf": "BREACH"}, ["page"])
    assert "forest" not in played.report()

    # The cycle under way goes on under the old name, whose incident ends; the new one has no estimate in it.
    played.begin(1)
    work_on(scenario, 1)
    assert played.cycle(1).state == CycleState.LABELLING
    limits = (BOTH.limits[0], replace(BOTH.limits[1], classifiers=("forest",)))
    played.configure(replace(BOTH, classifiers=(BOTH.classifiers[0], replace(RF, name="forest")), limits=limits))
    work_on(scenario, 2)
    assert played.estimated(1) == played.judged(1) == {"lr", "rf"}
    assert severities(scenario) == ["page", "resolved"]
    assert "forest" not in played.status()[1]
    assert "<dt>Precision of forest</dt><dd>it was not estimated in this window</dd>" in played.report()

    # From the next window on it is a classifier of its own, and nobody is asked anything twice.
    played.begin(2)
    work_on(scenario, 3)
    assert played.estimated(2) == played.judged(2) == {"lr", "forest"}
    assert severities(scenario) == ["page", "resolved", "page"]
    assert (played.status()[1]["lr"], played.status()[1]["forest"]) == ("OK", "BREACH")
    assert re.search(r"BREACH</span>\s+forest \(\w+\): \d+% of its flags are wrong", played.report())
    assert len(scenario.queue.asked()) == len(set(scenario.queue.asked()))
