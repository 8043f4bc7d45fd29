"""Past windows that are opened in whatever order: each learns from earlier ones only, and nobody is paged about them."""

import re

import pytest

from stratawatch.engine.cycle.advance import advance
from stratawatch.engine.cycle.backfill import backfill
from stratawatch.engine.labels.label_history import label_history
from stratawatch.engine.model.pauses import Pauses
from stratawatch.engine.model.states import CycleState
from stratawatch.errors import StratawatchError
from tests.support.fakes import MONDAY, WEEK
from tests.support.played_panel import BOTH
from tests.support.scenario import severities, work_on


def opened_weeks(played, first: int, last: int) -> list[int]:
    opened, _ = backfill(played.scenario.ports, BOTH, first, last, "a test")
    with played.scenario.ports.store.begin() as tx:
        return [tx.cycles.get(number).period for number in opened]


def test_eight_weeks_in_any_order(played):
    scenario = played.scenario
    for week in range(8):
        scenario.produce(week, size=700)
    scenario.clock.moment = MONDAY + 8 * WEEK
    assert opened_weeks(played, 7, 7) == [7]
    work_on(scenario, 3)
    assert severities(scenario) == ["page"]
    before, value = played.status()[1], played.values(7)
    assert before == {"lr": "OK", "rf": "BREACH"}
    assert re.search(r"BREACH</span>\s+rf \(\w+\): \d+% of its flags are wrong", played.report())

    # The weeks before it, later ones first; the next window that ends is not held up by them.
    assert opened_weeks(played, 4, 5) == [4, 5]
    work_on(scenario, 2)
    assert opened_weeks(played, 0, 7) == [0, 1, 2, 3, 6]
    assert opened_weeks(played, 0, 7) == []
    played.begin(8)
    work_on(scenario, 4)
    assert {played.cycle(week).state for week in range(9)} == {CycleState.JUDGED}

    # The breach of now is a page and a reminder; those of the past are one warning each, whatever the order.
    assert sorted(severities(scenario)) == ["page", "update"] + ["warning"] * 7
    past = [notification for notification in scenario.channel.received if notification.severity == "warning"]
    assert {one.subject for one in past} == {"BREACH in a past window of spam"}
    assert all("opened after later ones, nobody is paged" in one.body for one in past)
    assert (played.status()[1], played.values(7)) == (before, value)
    opened_at = {week: played.cycle(week).opened_at for week in (3, 6)}
    with scenario.ports.store.begin() as tx:
        assert [cycle.period for cycle, _ in tx.estimates.history("spam")] == list(range(9))
        assert len(tx.alarms.incidents(only_open=True)) == 1
        # Week 6 was opened when 4, 5 and 7 were labelled: it learnt from 4 and 5.
        ages = label_history(tx, BOTH, 6, opened_at[6]).ages
        assert set(ages.tolist()) == {1, 2}
        assert label_history(tx, BOTH, 3, opened_at[3]).ages.size == 0
    assert len(scenario.queue.asked()) == len(set(scenario.queue.asked()))
    assert "Precision of rf" in played.report()


def test_a_window_under_way_does_not_wait_for_past_ones(played):
    scenario = played.scenario
    played.configure(BOTH)
    scenario.produce(0, size=700)
    scenario.produce(1, size=700)
    scenario.clock.moment = MONDAY + 2 * WEEK
    assert opened_weeks(played, 1, 1) == [1]
    assert opened_weeks(played, 0, 0) == [0]
    scenario.clock.advance(hours=1)
    advance(scenario.ports)
    with scenario.ports.store.begin() as tx:
        live = {draw.item_key for draw in tx.rounds.draws(played.cycle(1).id)}
    for _ in range(4):
        scenario.queue.answer(scenario.clock.now(), only=live.__contains__)
        scenario.clock.advance(hours=1)
        assert advance(scenario.ports).troubles == ()
        with scenario.ports.store.begin() as tx:
            live |= {draw.item_key for draw in tx.rounds.draws(played.cycle(1).id)}
    assert played.cycle(1).state == CycleState.JUDGED
    assert played.cycle(0).state == CycleState.LABELLING


def test_one_slot_stays_free_and_a_paused_panel_is_left_alone(played):
    scenario = played.scenario
    scenario.clock.moment = MONDAY + 20 * WEEK
    opened, left = backfill(scenario.ports, BOTH, -3, 99)
    assert (len(opened), left) == (7, 13)
    played.configure(BOTH, Pauses(panels=frozenset({"spam"})))
    with pytest.raises(StratawatchError, match="is paused"):
        backfill(scenario.ports, BOTH, 0, 19)
