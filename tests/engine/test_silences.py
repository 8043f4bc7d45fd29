"""Silences: states and incidents go on, nobody is told, and of what is open at their end people are told once."""

from dataclasses import replace
from datetime import timedelta

import pytest

from stratawatch.engine.alarms.acknowledgements import acknowledge_incident
from stratawatch.engine.alarms.send_notifications import send_notifications
from stratawatch.engine.alarms.silences import end_silence, silence_alerts
from stratawatch.engine.cycle.advance import advance
from stratawatch.engine.model.alarm_records import Silence
from stratawatch.engine.ports import ChannelRule
from stratawatch.errors import StratawatchError
from tests.support.deliveries import breach, breach_again, connect, hush, open_incidents, outbox
from tests.support.fakes import FakeChannel, FakeLevelChannel, spec, unreachable, unusable
from tests.support.scenario import open_all, relabel, severities, work_on


@pytest.fixture
def breaching(make_scenario):
    """A scenario with labels enough to prove a breach, and its end."""
    made = make_scenario(spec(budget=400))
    made.ports = replace(made.ports, configured={made.panel.name: made.panel})
    return made


class TestWhatBeginsInASilence:
    def test_is_opened_and_told_to_nobody(self, breaching):
        hush(breaching)
        breach(breaching)
        work_on(breaching, 3)
        assert len(open_incidents(breaching)) == 1
        assert severities(breaching) == []

    def test_and_ends_in_it_is_never_sent(self, breaching):
        hush(breaching)
        breach(breaching)
        relabel(breaching, "yes")
        breaching.clock.advance(days=3)
        advance(breaching.ports)
        assert open_incidents(breaching) == ()
        assert severities(breaching) == []
        assert [(one.state, one.last_error) for one in outbox(breaching)] == [
            ("superseded", "it was over before a silence was")
        ]

    def test_is_told_once_when_it_ends(self, breaching):
        hush(breaching)
        breach(breaching)
        breaching.clock.advance(days=2)
        for _ in range(3):
            assert advance(breaching.ports).troubles == ()
            breaching.clock.advance(hours=1)
        assert severities(breaching) == ["page"]
        relabel(breaching, "yes")
        assert severities(breaching) == ["page", "resolved"]

    def test_is_told_when_it_is_ended_by_hand(self, breaching):
        silence = hush(breaching)
        breach(breaching)
        end_silence(breaching.ports, silence.id, "back again")
        end_silence(breaching.ports, silence.id)
        advance(breaching.ports)
        assert severities(breaching) == ["page"]
        with breaching.ports.store.begin() as tx:
            entries = [(entry.action, entry.why) for entry in tx.audit.entries()]
        assert entries[:2] == [("silenced", "moving house"), ("unsilenced", "back again")]

    def test_is_no_trouble_and_goes_to_no_fallback(self, breaching):
        fallback = FakeChannel("fallback")
        connect(breaching, breaching.channel, fallback, fallback=ChannelRule(fallback=True))
        hush(breaching)
        breach(breaching)
        breaching.clock.advance(days=1)
        assert advance(breaching.ports).troubles == ()
        assert fallback.received == []

    def test_is_told_to_a_channel_that_was_away_at_its_end(self, breaching):
        hush(breaching)
        breach(breaching)
        breaching.channel.troubles = [unreachable() for _ in range(3)]
        breaching.clock.advance(days=2)
        for _ in range(6):
            send_notifications(breaching.ports)
            breaching.clock.advance(minutes=30)
        assert severities(breaching) == ["page"]

    def test_is_told_where_it_shares_its_key_with_what_is_not_silent(self, make_scenario):
        limits = (*spec().limits, replace(spec().limits[0], metric="recall"))
        scenario = make_scenario(spec(limits=limits))
        open_all(scenario)
        hush(scenario, metric="recall")
        scenario.source.troubles = [unusable()]
        advance(scenario.ports)
        assert severities(scenario) == ["warning"]


class TestWhatBeganBefore:
    def test_ends_for_those_who_heard_of_it(self, breaching):
        breach(breaching)
        hush(breaching)
        relabel(breaching, "yes")
        assert severities(breaching) == ["page", "resolved"]

    def test_is_not_repeated_in_it_and_told_again_once_at_its_end(self, breaching):
        breach(breaching)
        hush(breaching, days=10)
        breach_again(breaching, 1)
        assert severities(breaching) == ["page"]
        breaching.clock.advance(days=6)
        for _ in range(3):
            breaching.clock.advance(hours=1)
            advance(breaching.ports)
        page, again = breaching.channel.received
        assert (again.severity, again.dedup_key) == ("update", page.dedup_key)
        assert again.subject == "STILL BROKEN, week 2: lr (spam): 85% of its flags are wrong"
        assert "The silence until 2026-01-22 03:00 +00:00 is over: moving house" in again.body
        breach_again(breaching, 2)
        assert severities(breaching) == ["page", "update", "update"]

    def test_is_not_told_again_when_somebody_acknowledged_it(self, breaching):
        breach(breaching)
        hush(breaching)
        acknowledge_incident(breaching.ports, open_incidents(breaching)[0].id)
        breaching.clock.advance(days=3)
        advance(breaching.ports)
        advance(breaching.ports)
        assert [one.facts.get("update") for one in breaching.channel.received] == [None, "acknowledged"]

    def test_waits_where_it_was_not_taken_yet(self, breaching):
        breaching.channel.troubles = [unreachable()]
        breach(breaching)
        hush(breaching)
        breaching.clock.advance(hours=5)
        assert advance(breaching.ports).troubles == ()
        assert severities(breaching) == []

    def test_of_blind_streams_is_told_again_at_its_end(self, scenario):
        open_all(scenario)
        scenario.source.troubles = [unusable()]
        advance(scenario.ports)
        hush(scenario)
        scenario.clock.advance(days=2)
        advance(scenario.ports)
        advance(scenario.ports)
        assert [one.subject for one in scenario.channel.received] == [
            "BLIND: spam cannot tell one of its metrics: the input was refused",
            "STILL BLIND: spam, 1 metric",
        ]


class TestLevelChannels:
    def test_go_on_with_what_they_showed(self, breaching):
        level = FakeLevelChannel("level")
        connect(breaching, level)
        breach(breaching)
        hush(breaching)
        level.asserted.clear()
        advance(breaching.ports)
        assert [len(shown) for shown in level.asserted] == [1]

    def test_do_not_show_what_began_in_it(self, breaching):
        level = FakeLevelChannel("level")
        connect(breaching, level)
        hush(breaching)
        breach(breaching)
        assert level.asserted == []


class TestWarningsOfTheInstallation:
    def test_are_never_silent(self, scenario):
        open_all(scenario)
        hush(scenario)
        advance(scenario.ports)
        scenario.queue.mark = "another"
        for _ in range(3):
            scenario.clock.advance(minutes=40)
            advance(scenario.ports)
        assert [one.subject for one in scenario.channel.received] == ["The label queue is away"]


class TestASilence:
    @pytest.mark.parametrize("days", [-1, 0, 31])
    def test_needs_an_end_within_thirty_days(self, scenario, days):
        with pytest.raises(StratawatchError, match="a silence needs an end; expected in 30 days at most"):
            hush(scenario, days=days)

    def test_needs_a_reason(self, scenario):
        now = scenario.clock.now()
        with pytest.raises(StratawatchError, match="a silence needs a reason"):
            silence_alerts(scenario.ports, Silence("spam", now + timedelta(days=1), " ", "ann", now))

    @pytest.mark.parametrize(
        ("parts", "sentence"),
        [
            ({"classifier": "rf"}, "there is no classifier with a limit there called 'rf'; expected lr"),
            ({"metric": "recall"}, "there is no metric with a limit there called 'recall'; expected precision"),
            ({"segment": "country=DE"}, "there is no segment with a limit there called 'country=DE'; expected none"),
        ],
    )
    def test_names_what_is_right_where_it_covers_nothing(self, scenario, parts, sentence):
        open_all(scenario)
        with pytest.raises(StratawatchError) as refused:
            hush(scenario, **parts)
        assert str(refused.value) == sentence
        with scenario.ports.store.begin() as tx:
            assert tx.silences.all() == ()

    def test_of_an_unknown_panel_names_those_that_there_are(self, scenario):
        open_all(scenario)
        now = scenario.clock.now()
        with pytest.raises(StratawatchError, match="there is no panel with a limit called 'span'; expected spam"):
            silence_alerts(scenario.ports, Silence("span", now + timedelta(days=1), "why", "ann", now))
