"""Labels with dates that cannot be right are set aside with a reason: on every database."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from stratawatch.engine.cycle.advance import advance
from stratawatch.engine.labels.collect_labels import collect_labels
from stratawatch.engine.labels.import_labels import HandLabel, import_labels
from stratawatch.engine.labels.label_dates import CLOCK_SKEW
from stratawatch.engine.model.label_events import LabelEvent
from stratawatch.engine.ports.clock import SystemClock
from stratawatch.errors import ClockDoubted
from tests.support.fakes import MONDAY, WEEK
from tests.support.scenario import Scenario, open_all

SECOND = timedelta(seconds=1)


@pytest.fixture
def asked(store):
    """A scenario whose first batches went out half a day after the window's end."""
    scenario = Scenario.around(store)
    scenario.produce(0)
    scenario.clock.advance(hours=12)
    open_all(scenario)
    advance(scenario.ports)
    return scenario


def say(scenario, at, number=0, **facts):
    key = scenario.queue.asked()[number]
    event = LabelEvent("fake", f"e{len(scenario.queue.said)}", key, "ann", "yes", at)
    scenario.queue.said.append(replace(event, **facts))
    return key


def kept(scenario, key):
    with scenario.ports.store.begin() as tx:
        return [event.at for event in tx.labels.of_items([key], tx.panels.question_key(scenario.panel))]


def reasons(scenario):
    with scenario.ports.store.begin() as tx:
        return [row.reason for row in tx.cycles.quarantined() if row.kind == "label"]


def test_before_the_item_could_be_drawn(asked):
    key = say(asked, MONDAY + WEEK - CLOCK_SKEW - SECOND)
    collected = collect_labels(asked.ports)
    assert (collected.new, collected.misdated) == (0, 1)
    assert kept(asked, key) == []
    assert reasons(asked) == ["a label that is dated before its item could be drawn"]


@pytest.mark.parametrize(
    "at", [MONDAY + WEEK - CLOCK_SKEW, MONDAY + WEEK], ids=["a clock behind", "at the window's end"]
)
def test_since_the_end_of_its_window_it_counts(asked, at):
    key = say(asked, at)
    assert collect_labels(asked.ports).new == 1
    assert kept(asked, key) == [at]


def test_in_the_future_of_the_machine(asked):
    asked.clock.moment = SystemClock().now()
    say(asked, asked.clock.moment + timedelta(hours=1))
    key = say(asked, asked.clock.moment + timedelta(minutes=3), number=1)
    collected = collect_labels(asked.ports)
    assert (collected.new, collected.misdated) == (1, 1)
    assert reasons(asked) == ["a label that is dated in the future"]
    assert kept(asked, key) == [asked.clock.moment]


def test_in_the_future_of_a_clock_that_was_set_back_they_wait_until_it_is_right(asked, monkeypatch):
    drawn = asked.clock.now()
    key = say(asked, drawn)
    monkeypatch.setattr(SystemClock, "now", lambda _clock: drawn - timedelta(days=5))
    asked.ports = replace(asked.ports, clock=SystemClock())
    with pytest.raises(ClockDoubted, match="labels were not read: the machine's clock stands before"):
        collect_labels(asked.ports)
    assert (kept(asked, key), reasons(asked)) == ([], [])
    monkeypatch.setattr(SystemClock, "now", lambda _clock: drawn + timedelta(minutes=1))
    assert collect_labels(asked.ports).new == 1
    assert kept(asked, key) == [drawn]


def test_in_real_time_while_cycles_run_on_simulated_time(asked):
    key = say(asked, SystemClock().now())
    assert collect_labels(asked.ports).new == 1
    assert kept(asked, key) == [asked.clock.now()]


def test_a_time_that_the_queue_guessed_is_no_claim(asked):
    """Nor is it believed: a file that was unpacked may be of 1970, and its labels would have expired as they came."""
    early = say(asked, datetime(1970, 1, 1, tzinfo=UTC), dated=False)
    late = say(asked, SystemClock().now() + timedelta(days=9), number=1, dated=False)
    assert collect_labels(asked.ports).new == 2
    assert kept(asked, early) == [MONDAY + WEEK]
    assert kept(asked, late) == [asked.clock.now()]


def test_after_the_deadline_it_counts(asked):
    asked.clock.advance(days=5)
    advance(asked.ports)
    key = say(asked, asked.clock.now())
    assert collect_labels(asked.ports).new == 1
    assert kept(asked, key) == [asked.clock.now()]


def test_the_earliest_time_is_the_end_of_the_window_not_the_draw(asked):
    with asked.ports.store.begin() as tx:
        key = asked.queue.asked()[0]
        assert tx.labels.earliest_times([key, "never drawn"]) == {key: MONDAY + WEEK}
        assert tx.labels.earliest_times([]) == {}


def test_a_person_may_bring_in_older_ones_but_none_of_tomorrow(asked):
    with asked.ports.store.begin() as tx:
        (first, _), (second, _), *_ = tx.rounds.ever_drawn("spam")
    lines = [
        HandLabel(first, "yes", "kim", MONDAY - WEEK),
        HandLabel(second, "yes", "kim", SystemClock().now() + timedelta(days=1)),
    ]
    collected = import_labels(asked.ports, "spam", lines)
    assert (collected.new, collected.misdated) == (1, 1)
