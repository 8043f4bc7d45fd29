"""Panels and classifiers that pause and go on: what status, report and estimates say before and after."""

from stratawatch.core.alarms.alarm_states import AlarmState
from stratawatch.engine.cycle.advance import advance
from stratawatch.engine.cycle.open_cycles import PAUSED
from stratawatch.engine.model.pauses import Pauses
from stratawatch.engine.model.states import CycleState
from tests.support.played_panel import BOTH, WITHOUT_RF
from tests.support.scenario import cycle_of, open_all, severities, work_on

RF_PAUSED, SPAM_PAUSED = Pauses(classifiers=frozenset({("spam", "rf")})), Pauses(panels=frozenset({"spam"}))


def test_a_classifier_and_its_panel_pause_in_the_middle_of_cycles_and_go_on(played):
    scenario = played.scenario
    played.begin(0)
    work_on(scenario, 3)
    assert played.status()[:2] == ("", {"lr": "OK", "rf": "BREACH"})
    assert severities(scenario) == ["page"]
    assert (played.estimated(0), played.judged(0)) == ({"lr", "rf"}, {"lr", "rf"})
    assert "aused" not in played.report()

    # A classifier pauses while people label: its cycle is estimated as it was drawn, and judged without it.
    played.begin(1)
    work_on(scenario, 1)
    assert played.cycle(1).state == CycleState.LABELLING
    played.configure(WITHOUT_RF, RF_PAUSED)
    work_on(scenario, 2)
    assert (played.estimated(1), played.judged(1)) == ({"lr", "rf"}, {"lr"})
    paused, states, _ = played.status()
    assert paused == "paused: rf; not drawn for in new windows, not judged, and nobody is paged"
    assert states == {"lr": "OK", "rf": "BREACH"}
    assert "Paused: rf; not drawn for" in played.report()

    # The next window is drawn without it. Its incident stays, and ends with no message.
    played.begin(2)
    work_on(scenario, 3)
    assert (played.estimated(2), played.judged(2)) == ({"lr"}, {"lr"})
    assert severities(scenario) == ["page"]

    # The panel pauses while people label: nothing moves, whatever they answer.
    played.begin(3)
    work_on(scenario, 1)
    played.configure(paused=SPAM_PAUSED)
    assert open_all(scenario) == ()
    for _ in range(2):
        scenario.clock.advance(hours=1)
        scenario.queue.answer(scenario.clock.now())
        assert advance(scenario.ports).troubles == ()
    paused, _, cycles = played.status()
    assert paused == "the panel is paused: no window is read or judged, and nobody is paged"
    assert [(row["state"], row["waits_for"]) for row in cycles] == [("labelling", "its panel, which is paused")]
    assert "The panel is paused: no window is read" in played.report()
    reads = scenario.source.reads

    # A window that ends meanwhile is passed over: neither read nor asked about, now or later.
    assert played.begin(4) == ()
    advance(scenario.ports)
    passed = played.cycle(4)
    assert (passed.state, passed.reason, scenario.source.reads) == (CycleState.CANCELLED, PAUSED, reads)

    # Both go on: the cycle that waited is judged, and the incident is the one that it was.
    played.configure(BOTH)
    work_on(scenario, 1)  # before `open` stores the panel with the classifier that is back
    assert severities(scenario) == ["page"]
    played.begin(5)
    work_on(scenario, 3)
    assert played.status()[:2] == ("", {"lr": "OK", "rf": "BREACH"})
    assert cycle_of(scenario, played.cycle(3).id).state == CycleState.JUDGED
    assert (played.judged(3), played.judged(5)) == ({"lr"}, {"lr", "rf"})
    assert severities(scenario) == ["page", "update"]
    with scenario.ports.store.begin() as tx:
        (incident,) = tx.alarms.incidents(only_open=True)
    assert (incident.key.classifier, incident.kind) == ("rf", AlarmState.BREACH)
