"""A window whose predictions are corrected at the source is read again: with its labels, and its past kept."""

from dataclasses import replace
from html import unescape

import pytest

from stratawatch.engine.cycle.advance import advance, panels_due
from stratawatch.engine.cycle.judge_cycle import judge_cycle
from stratawatch.engine.cycle.operator_actions import cancel_cycle, reopen_cycle, rerun_cycle
from stratawatch.engine.labels.label_history import label_history
from stratawatch.engine.model.pauses import Pauses
from stratawatch.engine.model.states import CycleState
from stratawatch.errors import StratawatchError
from tests.support.fakes import MONDAY, WEEK
from tests.support.played_panel import BOTH
from tests.support.scenario import open_all, relabel, severities, work_on

on_sqlite = pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)
HEALTHY = replace(BOTH, limits=(BOTH.limits[0], replace(BOTH.limits[1], floor=0.1)))


def correct(played, week: int) -> None:
    """The scores of rf were another model's; they are those of lr now."""
    windows = played.scenario.source.windows
    begin = MONDAY + week * WEEK
    windows[begin] = [replace(row, scores=(row.scores[0], row.scores[0])) for row in windows[begin]]


def values(tx, cycle: int) -> dict[str, float]:
    found = tx.estimates.latest(cycle).estimates
    return {one.classifier: one.result.value for one in found if one.metric == "precision" and one.segment is None}


def test_a_corrected_window_is_run_again_with_its_labels(played):
    scenario = played.scenario
    for week in range(2):
        played.begin(week)
        work_on(scenario, 3)
    old, asked = played.cycle(0), set(scenario.queue.asked())
    states_before = played.status()[1]
    assert "was corrected on" not in played.report()
    assert severities(scenario) == ["page", "update"]
    with scenario.ports.store.begin() as tx:
        before, streams = values(tx, old.id), tx.alarms.current_states("spam")
        evidence, rule, bets = tx.evidence.of_cycle(old.id), tx.evidence.rule_of(old.id), tx.rounds.draws(old.id)
    assert evidence
    assert any(draw.bets for draw in bets)
    correct(played, 0)
    new = rerun_cycle(scenario.ports, old.id, "scores of another model", BOTH)
    for cycle, hint in ((old.id, f"one that was replaced; the cycle of its window is {new} now"), (new, "wait until")):
        with pytest.raises(StratawatchError, match=hint):
            rerun_cycle(scenario.ports, cycle, "twice", BOTH)
    assert [row["id"] for row in played.status()[2]] == [new]
    assert "was corrected on" in played.report()  # with what holds until it is judged again
    work_on(scenario, 4)
    assert played.cycle(0).id == new
    assert played.cycle(0).state == CycleState.JUDGED
    assert (played.status()[1], played.status()[2]) == (states_before, [])

    # Both are readable; the report says what changed.
    with scenario.ports.store.begin() as tx:
        assert values(tx, old.id) == before
        after = values(tx, new)
        first, second = tx.estimates.latest(old.id), tx.estimates.latest(new)
        assert (first.number, second.number) == (1, 2)
        assert [cycle.id for cycle, _ in tx.estimates.history("spam")] == [new, played_id(tx, 1)]
        assert [cycle.id for cycle, _ in tx.estimates.history("spam", replaced=True)] == [old.id, new, played_id(tx, 1)]
        assert tx.alarms.current_states("spam") == streams  # those of the newest window
        draws = tx.rounds.draws(new)
        (entry,) = tx.audit.entries()

        # What was evidence stays readable and counts no more; a label that was known before the rerun drew makes none.
        assert (tx.evidence.of_cycle(old.id), tx.evidence.rule_of(old.id)) == (evidence, rule)
        assert tx.rounds.draws(old.id) == bets
        assert {row.cycle_id for row in tx.evidence.of_panel("spam")} <= {new, played_id(tx, 1)}
        assert not any(draw.bets for draw in draws if draw.reused)
    assert after["rf"] != before["rf"]
    assert (entry.action, entry.why) == ("rerun", "scores of another model")
    report = played.report()
    assert f"corrected on {scenario.clock.now():%Y-%m-%d}: scores of another model; precision of lr" in report
    assert " before, " in report

    # Whoever answered is not asked again, and nobody is paged about a window that is over.
    assert any(draw.reused for draw in draws)
    assert len(scenario.queue.asked()) == len(set(scenario.queue.asked()))
    assert asked <= set(scenario.queue.asked())
    assert "page" not in severities(scenario)[1:]

    # A label that comes late makes a revision of the new one alone.
    relabel(scenario, "yes")
    assert advance(scenario.ports).troubles == ()
    with scenario.ports.store.begin() as tx:
        assert (tx.estimates.latest(old.id).number, tx.estimates.latest(new).number) == (1, 3)
    assert panels_due(scenario.ports) == {}
    assert judge_cycle(scenario.ports, old.id) is None


def played_id(tx, period: int) -> int:
    return next(cycle.id for cycle in tx.cycles.find() if cycle.period == period)


def rerun(played, hours: int = 3, panel=BOTH) -> int:
    """Run the first window again and judge it."""
    new = rerun_cycle(played.scenario.ports, played.cycle(0).id, "a test", panel)
    work_on(played.scenario, hours)
    return new


def test_the_newest_window_is_judged_like_any_other(played):
    scenario = played.scenario
    played.begin(0)
    work_on(scenario, 3)
    assert severities(scenario) == ["page"]

    # What is broken as before has its page; until it is judged anew, what was said holds.
    rerun(played)
    assert severities(scenario) == ["page"]
    rerun_cycle(scenario.ports, played.cycle(0).id, "a test", HEALTHY)
    assert played.status()[1] == {"lr": "OK", "rf": "BREACH"}
    work_on(scenario, 3)
    assert played.status()[1] == {"lr": "OK", "rf": "OK"}
    assert severities(scenario) == ["page", "resolved"]
    rerun(played)
    assert severities(scenario) == ["page", "resolved", "page"]
    assert len(set(scenario.channel.sends)) == 3
    assert open_all(scenario) == ()


def drawn(played, cycle: int) -> dict[str, bool]:
    """The items that a cycle drew, and whether their label was there."""
    with played.scenario.ports.store.begin() as tx:
        return {draw.item: draw.reused for draw in tx.rounds.draws(cycle)}


@on_sqlite
@pytest.mark.parametrize("stop_rule", ["budget", "goals"])
def test_a_label_is_paid_for_once(played, stop_rule):
    scenario = played.scenario
    panel = scenario.panel = replace(BOTH, stop_rule=stop_rule)
    played.begin(0)
    work_on(scenario, 3)
    first, asked = played.cycle(0).id, scenario.queue.asked()

    # What did not change is drawn as before: nobody is asked, and the estimates are the same.
    second = rerun(played, panel=panel)
    assert (drawn(played, second), scenario.queue.asked()) == (dict.fromkeys(drawn(played, first), True), asked)
    with scenario.ports.store.begin() as tx:
        assert tx.estimates.latest(second).estimates == tx.estimates.latest(first).estimates

    # What was corrected takes the budget too, with the labels that it reuses; and so does the next correction.
    correct(played, 0)
    for _ in range(2):
        new = drawn(played, rerun(played, panel=panel))
        assert len(new) <= BOTH.budget
        assert sum(new.values()) > 0.3 * BOTH.budget
    assert all(new.values())
    assert len(scenario.queue.asked()) == len(set(scenario.queue.asked()))


@on_sqlite
def test_a_rerun_of_a_smaller_budget_has_the_labels_beside_it(played):
    scenario = played.scenario
    played.begin(0)
    work_on(scenario, 3)
    new = drawn(played, rerun(played, panel=replace(BOTH, budget=30)))
    assert sum(new.values()) > 45
    assert 0 < list(new.values()).count(False) <= 30


@on_sqlite
def test_what_was_warned_of_is_told_again_of_a_window_that_is_run_again(played):
    scenario = played.scenario
    scenario.check.refusal = "a column is missing"
    played.begin(0)
    work_on(scenario, 1)
    scenario.check.refusal = ""
    reopen_cycle(scenario.ports, played.cycle(0).id, "it is there", BOTH)
    work_on(scenario, 3)
    assert severities(scenario) == ["warning", "page", "resolved"]
    scenario.check.refusal = "it is missing again"
    refused = rerun(played, hours=1)
    with pytest.raises(StratawatchError, match=f'`stratawatch cycles reopen {refused} --why "..."`'):
        rerun(played)
    assert severities(scenario)[3:] == ["warning"]
    assert set(played.status()[1].values()) == {"BLIND"}
    scenario.check.refusal = ""
    reopen_cycle(scenario.ports, refused, "it is there", BOTH)
    work_on(scenario, 3)

    # A window that later ones follow: a warning for each of its runs.
    played.begin(1)
    work_on(scenario, 3)
    before = len(scenario.channel.received)
    rerun(played)
    rerun(played)
    assert [notification.subject for notification in scenario.channel.received[before:]] == [
        "BREACH in a past window of spam"
    ] * 2


def test_a_window_under_way_keeps_its_history(played):
    scenario = played.scenario
    played.begin(0)
    work_on(scenario, 3)
    played.begin(1)
    opened = played.cycle(1).opened_at

    def history():
        with scenario.ports.store.begin() as tx:
            return label_history(tx, BOTH, 1, opened)

    before = history()
    assert before.ages.size > 0
    correct(played, 0)
    rerun(played)
    assert played.cycle(0).state == CycleState.JUDGED
    after = history()
    assert (after.patterns, after.scores.tolist()) == (before.patterns, before.scores.tolist())
    with scenario.ports.store.begin() as tx:
        later = label_history(tx, BOTH, 2, scenario.clock.now())
    corrected = {pattern for pattern, age in zip(later.patterns, later.ages, strict=True) if age == 2}
    assert ("01" in before.patterns, "01" in corrected) == (True, False)


@on_sqlite
def test_a_window_that_nobody_answered_is_asked_about_again(played):
    scenario = played.scenario
    played.begin(0)
    for _ in range(2):
        advance(scenario.ports)
        scenario.clock.advance(hours=BOTH.deadline.total_seconds() / 3600 + 1)
    advance(scenario.ports)
    old = played.cycle(0)
    assert (old.state, played.status()[1]["rf"]) == (CycleState.JUDGED, "BLIND")
    rerun(played)
    assert (played.cycle(0).state, played.status()[1]["rf"]) == (CycleState.JUDGED, "BREACH")
    with scenario.ports.store.begin() as tx:
        first, again = ({draw.item for draw in tx.rounds.draws(one)} for one in (old.id, played.cycle(0).id))
    assert first
    assert first <= again


@on_sqlite
def test_a_rerun_that_was_cancelled_is_not_the_last_word(played):
    scenario = played.scenario
    played.begin(0)
    work_on(scenario, 3)
    new = rerun_cycle(scenario.ports, played.cycle(0).id, "a test", BOTH)
    said = played.report()
    assert f"The newest window is run again: nothing holds of it until cycle {new} is judged." in said
    assert "Nothing needs attention" not in said
    cancel_cycle(scenario.ports, new, "too early")
    said = played.report()
    typed = f'<code>stratawatch cycles rerun {new} --why "..."</code>'
    assert f"its rerun, cycle {new}, was cancelled; {typed} reads it again." in unescape(said)
    assert "was corrected on" not in said
    last = rerun(played)
    assert (played.cycle(0).id, played.cycle(0).state) == (last, CycleState.JUDGED)
    _, sentence = played.report().split("was corrected on")
    assert "; precision of lr" in sentence[:80]  # before and after, though the run that was cancelled has no estimates
    played.configure(paused=Pauses(panels=frozenset({"spam"})))
    with pytest.raises(StratawatchError, match="is paused"):
        rerun_cycle(scenario.ports, last, "a test", BOTH)
