"""A breach that stays open is repeated once a window under its key, until it is over or somebody looks after it."""

import re
from dataclasses import replace
from datetime import timedelta

import pytest

from stratawatch.core.goals import Limit
from stratawatch.engine.cycle.advance import advance
from stratawatch.engine.model.panel_spec import WindowRule
from stratawatch.engine.model.pauses import Pauses
from tests.support.deliveries import breach, breach_again, connect, outbox, states
from tests.support.fakes import MONDAY, WEEK, FakeChannel, spec, unreachable, unusable
from tests.support.scenario import open_all, relabel, severities


class TestAReminder:
    def test_is_sent_once_a_window_under_the_key_of_the_page(self, breaching):
        breach(breaching)
        breach_again(breaching, 1, 2)
        for _ in range(10):
            breaching.clock.advance(hours=5)
            advance(breaching.ports)
        page, *reminders = breaching.channel.received
        steps = "\nDo: 1. Acknowledge it, or it is told again: stratawatch alerts ack 1\n2. See what lr gets wrong "
        assert f"{steps}(stratawatch mistakes spam --classifier lr), and whether its limit is right." in page.body
        assert "\nSince: the week of 2026-01-05 or before; nothing is known of earlier ones.\n" in page.body
        assert [one.severity for one in reminders] == ["update", "update"]
        assert {one.dedup_key for one in breaching.channel.received} == {page.dedup_key}
        said = [
            re.match(r"STILL BROKEN, week (\d): lr \(spam\): \d\d% of its flags are wrong", one.subject)
            for one in reminders
        ]
        assert [one[1] for one in said] == ["2", "3"]
        with breaching.ports.store.begin() as tx:
            (state,) = tx.alarms.current_states("spam")
        assert reminders[1].body.startswith("Now: ")
        assert "stratawatch alerts ack 1" in reminders[1].body
        assert reminders[1].facts["reason"] == state.reason
        assert reminders[1].facts["update"] == "reminder"
        assert reminders[1].facts["window_start"] == "2026-01-19T00:00:00+00:00"

    def test_is_not_sent_again_when_its_window_is_judged_again(self, breaching):
        breach(breaching)
        breach_again(breaching, 1)
        relabel(breaching, "no")
        relabel(breaching, "no", days=1)
        assert severities(breaching) == ["page", "update"]

    def test_counts_from_the_window_in_which_it_most_likely_began(self, breaching):
        from sqlalchemy import update

        from stratawatch.adapters.store.alarm_tables import incidents

        breach(breaching)
        with breaching.ports.store.begin() as tx:
            tx._sql.execute(update(incidents).values(since=MONDAY - timedelta(weeks=2)))
            tx.commit()
        breach_again(breaching, 1)
        assert breaching.channel.received[-1].subject.startswith("STILL BROKEN, week 4")

    def test_says_so_where_the_newest_window_cannot_tell(self, breaching):
        breach(breaching)
        breaching.produce(1)
        breaching.clock.moment = MONDAY + timedelta(weeks=2)
        open_all(breaching)
        breaching.source.troubles = [unusable()]
        advance(breaching.ports)
        assert [one.subject for one in breaching.channel.received][1:] == [
            "BLIND: spam cannot tell one of its metrics: the input was refused",
            "NOT OVER, BLIND now, week 2: precision of lr (spam)",
        ]
        assert breaching.channel.received[2].body.startswith("the window was refused: ")

    def test_is_not_sent_while_its_classifier_is_paused(self, breaching):
        breach(breaching)
        breaching.ports = replace(breaching.ports, paused=Pauses(classifiers=frozenset({("spam", "lr")})))
        breach_again(breaching, 1)
        assert severities(breaching) == ["page"]

    def test_takes_the_place_of_one_that_waits(self, breaching):
        breach(breaching)
        breaching.channel.troubles = [unreachable() for _ in range(99)]
        breach_again(breaching, 1, 2)
        assert states(breaching) == [
            ("channel", "page", "sent"),
            ("channel", "update", "superseded"),
            ("channel", "update", "pending"),
        ]
        breaching.channel.troubles.clear()
        breaching.clock.advance(hours=1)
        advance(breaching.ports)
        assert severities(breaching) == ["page", "update"]
        assert "week 3" in breaching.channel.received[-1].subject

    def test_that_waits_is_given_up_when_it_is_over(self, make_scenario):
        scenario = make_scenario(spec(budget=400))
        breach(scenario)
        scenario.channel.troubles = [unreachable() for _ in range(99)]
        breach_again(scenario, 1)
        scenario.channel.troubles.clear()
        relabel(scenario, "yes")
        assert states(scenario) == [
            ("channel", "page", "sent"),
            ("channel", "update", "superseded"),
            ("channel", "resolved", "sent"),
        ]

    def test_does_not_follow_a_page_that_came_after_its_window(self, breaching):
        breaching.channel.troubles = [unreachable() for _ in range(99)]
        breach(breaching)
        breach_again(breaching, 1)
        breaching.channel.troubles.clear()
        for _ in range(3):
            breaching.clock.advance(hours=2)
            advance(breaching.ports)
        assert severities(breaching) == ["page"]
        breach_again(breaching, 2)
        assert severities(breaching) == ["page", "update"]

    def test_goes_to_those_that_have_the_page_alone(self, breaching):
        other = FakeChannel("other")
        breach(breaching)
        connect(breaching, breaching.channel, other)
        breach_again(breaching, 1)
        assert severities(breaching) == ["page", "update"]
        assert other.received == []

    def test_does_not_say_how_a_classifier_was_that_left(self, make_scenario):
        limits = [Limit("precision", floor=0.5, classifiers=("lr",)), Limit("recall", floor=0.01, classifiers=("rf",))]
        scenario = make_scenario(spec(budget=200, limits=tuple(limits)))
        breach(scenario)
        breach_again(scenario, 1)
        assert "recall of rf" in scenario.channel.received[-1].body
        lr, _ = scenario.panel.classifiers
        scenario.panel = replace(scenario.panel, classifiers=(lr,), limits=tuple(limits[:1]))
        scenario.ports = replace(scenario.ports, configured={"spam": scenario.panel})
        breach_again(scenario, 2)
        reminder = scenario.channel.received[-1]
        assert "week 3" in reminder.subject
        assert "rf" not in reminder.body

    def test_is_not_written_to_a_channel_that_is_gone(self, breaching):
        breach(breaching)
        connect(breaching, FakeChannel("other"))
        breach_again(breaching, 1)
        assert [one.severity for one in outbox(breaching)] == ["page"]


class TestShortWindows:
    @pytest.fixture
    def half_weekly(self, make_scenario):
        rule = WindowRule(MONDAY, WEEK / 2)
        return make_scenario(spec(budget=60, windows=rule, deadline=timedelta(hours=9)))

    def test_are_reminded_of_once_a_week(self, half_weekly):
        half_weekly.produce(0, quality=0.2, size=200)
        for number in range(6):
            half_weekly.source.windows[MONDAY + number * WEEK / 2] = half_weekly.source.windows[MONDAY]
            half_weekly.clock.moment = MONDAY + (number + 1) * WEEK / 2
            open_all(half_weekly)
            for _ in range(3):
                half_weekly.clock.advance(hours=1)
                advance(half_weekly.ports)
                half_weekly.queue.answer(half_weekly.clock.now())
        said = [one.subject for one in half_weekly.channel.received if one.severity == "update"]
        assert [one.split(" (spam)")[0] for one in said] == ["STILL BROKEN, window 3: lr", "STILL BROKEN, window 5: lr"]
